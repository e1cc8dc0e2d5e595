"""``make screenshots``: the scenes as SVG and PNG, the same bytes on every run.

Owns which are drawn at which size and in which colours, and the way from SVG to PNG.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, TypeAlias

from jobsched_tui.data.scenes import SCENES
from tests.tui.snapshots.stage import ANSI, DARK, NO_COLOUR, Look, drawing

Size: TypeAlias = tuple[int, int]
Job: TypeAlias = tuple[str, Size, Look]

USUAL: Final = (120, 36)
OTHERS: Final = ((80, 24), (200, 50))
#: Drawn at every size.
_MAIN: Final = ("busy", "log", "attention")
#: Drawn without colours, too.
_ALL_LOOKS: Final = ("busy",)
#: Those that are kept as PNG, for readers of the README.
_PNG: Final = frozenset(
    {"busy", "log", "timeline", "dag-diamond", "limits", "submit", "force-done", "attention"}
)
#: Where the font lies that has the signs of the console.
_FONT: Final = Path("/usr/share/fonts/truetype/dejavu")
_FAMILY: Final = "DejaVu Sans Mono"
_WORKERS: Final = 2


def jobs() -> Iterator[Job]:
    """All that is drawn."""
    for name in SCENES:
        yield name, USUAL, DARK
    for name in _MAIN:
        yield from ((name, size, DARK) for size in OTHERS)
    for name in _ALL_LOOKS:
        yield from ((name, USUAL, look) for look in (ANSI, NO_COLOUR))


def stem(name: str, size: Size, look: Look) -> str:
    """The file's name without its ending: the usual goes without saying."""
    parts = [name]
    if size != USUAL:
        parts.append(f"{size[0]}x{size[1]}")
    if look != DARK:
        parts.append(look.name)
    return "-".join(parts)


def svg(job: Job) -> tuple[str, str]:
    """The file's stem, and the picture."""
    name, size, look = job
    return stem(*job), drawing(SCENES[name], size, look)


def png(picture: str) -> bytes:
    """The picture in dots, its text in a font that is here."""
    import resvg_py  # noqa: PLC0415 - only pictures need it

    text = re.sub(r"@font-face\s*\{.*?\}", "", picture, flags=re.DOTALL)
    text = re.sub(r"font-family: *[^;]+;", f"font-family: {_FAMILY};", text)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=text, skip_system_fonts=True, font_dirs=[str(_FONT)], font_family=_FAMILY
        )
    )


def main(folder: Path) -> None:
    """Draw all of them into a folder."""
    folder.mkdir(exist_ok=True)
    if not _FONT.is_dir():
        sys.exit(f"{_FONT} is missing: install the fonts DejaVu (Debian: fonts-dejavu-core)")
    with ProcessPoolExecutor(_WORKERS) as pool:
        for name, picture in pool.map(svg, jobs()):
            (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
            if name in _PNG:
                (folder / f"{name}.png").write_bytes(png(picture))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
