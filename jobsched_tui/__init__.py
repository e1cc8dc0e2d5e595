"""The operator's console over jobsched: what runs, what waits and why, and how to act on it.

``data`` reads and decides what is shown, ``present`` puts it into words and columns; neither knows
the terminal. ``widgets``, ``screens`` and ``app`` draw and take keys; they decide nothing.
"""
