"""Moments of a home that never was: for pictures, for tests of how things look, to show around.

Owns a :class:`Scene` for every screen and state of the console. All is written down: the same scene
is the same frame on every machine and on every day.
"""

from jobsched_tui.data.scenes.gallery import SCENES
from jobsched_tui.data.scenes.scene import Rows, Scene, SceneSource

__all__ = ["SCENES", "Rows", "Scene", "SceneSource"]
