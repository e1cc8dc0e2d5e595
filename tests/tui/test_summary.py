"""The lines above the job list on a screen."""

from __future__ import annotations

import asyncio
from datetime import UTC

from textual.app import App, ComposeResult

from jobsched_tui.present.header import Drawing, Looking
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.tabs import Summary
from tests.tui.frames import NOW, frame


class Top(App[None]):
    """A screen with the lines above the list."""

    asked: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The lines."""
        yield Summary(id="top")

    def on_summary_tab_asked(self, message: Summary.TabAsked) -> None:
        """Note it."""
        self.asked = (*self.asked, message.tab)


def test_the_lines_above_are_drawn_and_their_tabs_can_be_clicked() -> None:
    """As many lines as the width has; a click elsewhere asks for nothing."""

    async def main() -> None:
        app = Top()
        async with app.run_test(size=(120, 20)) as pilot:
            top = app.query_one(Summary)
            top.update(frame(), Looking(), NOW, Drawing(width=120, zone=UTC))
            await pilot.pause()
            assert top.size.height == 4
            assert top.render_line(2).text.startswith("[1 All 10412] 2 Active 183 ")
            await pilot.click(Summary, offset=(20, 2))
            await pilot.click(Summary, offset=(20, 1))
            await pilot.click(Summary, offset=(118, 2))
            assert app.asked == ("active",)
            top.update(frame(), Looking(), NOW, Drawing(width=80, zone=UTC))
            await pilot.pause()
            assert top.size.height == 3

    asyncio.run(main())


def test_lines_that_stay_the_same_cost_nothing() -> None:
    """Only the line of the clock is drawn when only the clock has moved."""

    async def main() -> None:
        app = Top()
        async with app.run_test(size=(120, 20)) as pilot:
            top = app.query_one(LinesView)
            assert isinstance(top, Summary)
            drawing = Drawing(width=120, zone=UTC)
            top.update(frame(), Looking(), NOW, drawing)
            await pilot.pause()
            top._dirty_regions.clear()
            top.update(frame(), Looking(), NOW, drawing)
            assert top._dirty_regions == set()
            top.update(frame(), Looking(), NOW + 60, drawing)
            assert {region.y for region in top._dirty_regions} == {0}

    asyncio.run(main())
