from __future__ import annotations

import asyncio
from dataclasses import replace

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from jobsched.states import TaskStatus
from jobsched_tui.data.dag import Graph, Node
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.widgets.dag_view import DagView


def node(task_id: int, name: str, status: TaskStatus = TaskStatus.PENDING) -> Node:
    """A task that has not started."""
    return Node(task_id=task_id, name=name, status=status)


#: prepare -> train, check -> eval
DIAMOND = Graph(
    (
        node(0, "prepare", TaskStatus.SUCCEEDED),
        node(1, "train"),
        node(2, "check"),
        node(3, "eval"),
    ),
    frozenset({(0, 1), (0, 2), (1, 3), (2, 3)}),
)


class Shell(App[None]):
    """A screen with nothing but a graph."""

    def __init__(self, pen: Pen = UNICODE) -> None:
        super().__init__()
        self._pen = pen
        self.opened: list[int] = []

    def compose(self) -> ComposeResult:
        """The graph."""
        yield DagView(pen=self._pen)

    def on_dag_view_task_chosen(self, message: DagView.TaskChosen) -> None:
        """Remember what was opened."""
        self.opened.append(message.task_id)


async def shown(pilot: Pilot[None], graph: Graph) -> DagView:
    """The view, with a graph in it and the keys going to it."""
    view = pilot.app.query_one(DagView)
    view.focus()
    view.show(graph)
    await pilot.pause()
    return view


def lines(view: DagView) -> list[str]:
    """What the terminal shows, without empty lines."""
    found = [view.render_line(y).text.rstrip() for y in range(view.size.height)]
    return [line for line in found if line]


def styled(view: DagView, attribute: str) -> list[str]:
    """The pieces of text that are drawn bold, in reverse, ..."""
    return [
        text
        for y in range(view.size.height)
        for text, style, _ in view.render_line(y)
        if style is not None and getattr(style, attribute) and text.strip("[] ◔✓")
    ]


def test_arrows_walk_and_enter_opens() -> None:
    """Keys go along edges, Enter opens the task that they lead to."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, DIAMOND)
            assert lines(view) == [
                "            ┌─[◔ train]─┬─[◔ eval]",
                "[✓ prepare]─┴─[◔ check]─┘",
            ]
            await pilot.press("enter", "right", "enter", "up", "enter", "l", "enter", "h", "enter")
            assert app.opened == [0, 2, 1, 3, 1]
            await pilot.press("down", "left", "enter", "left", "enter", "G", "enter", "g", "enter")
            assert app.opened[5:] == [0, 0, 2, 1]

    asyncio.run(scenario())


def test_the_cursor_is_on_one_box_and_stays_on_its_task() -> None:
    """The box under the cursor alone is drawn in reverse, also after the graph has changed."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, DIAMOND)
            view.choose(2)
            assert styled(view, "reverse") == ["◔ check"]
            running = tuple(
                replace(one, seconds=61.0, status=TaskStatus.RUNNING) if one.task_id == 2 else one
                for one in DIAMOND.nodes
            )
            view.show(Graph(running, DIAMOND.edges))
            await pilot.pause()
            assert lines(view)[1] == "[✓ prepare]─┴─[● check 1m01s]─┘"
            assert styled(view, "reverse")[0] == "● check"
            assert view.chosen == 2

    asyncio.run(scenario())


def test_brackets_highlight_what_a_task_depends_on() -> None:
    """`[` shows all that is upstream, `]` downstream; the same key again shows it no longer."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, DIAMOND)
            view.choose(1)
            await pilot.press("left_square_bracket")
            assert view.marked == {0}
            assert styled(view, "underline") == ["✓ prepare"]
            await pilot.press("right_square_bracket")
            assert styled(view, "underline") == ["◔ eval"]
            await pilot.press("left")
            assert view.marked == {1, 2, 3}
            await pilot.press("right_square_bracket")
            assert view.marked == frozenset()

    asyncio.run(scenario())


def test_minus_leaves_out_what_has_succeeded() -> None:
    """The cursor goes to a task that is still drawn; minus again brings all back."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, DIAMOND)
            await pilot.press("minus")
            assert lines(view) == [
                "[◔ train]─┬─[◔ eval]",
                "[◔ check]─┘",
                "1 succeeded task not shown",
            ]
            assert view.chosen == 1
            await pilot.press("minus")
            assert lines(view)[1] == "[✓ prepare]─┴─[◔ check]─┘"
            assert view.chosen == 1

    asyncio.run(scenario())


def test_a_narrow_terminal_shows_a_tree_that_can_be_walked() -> None:
    """After the terminal has become too narrow the cursor is on the same task, in a tree."""

    async def scenario() -> None:
        app = Shell(ASCII)
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, DIAMOND)
            view.choose(1)
            await pilot.resize_terminal(20, 12)
            await pilot.pause()
            assert lines(view) == [
                "[+ prepare]",
                "+-[p train]",
                "| +-[p eval]  also~",
                "+-[p check]",
            ]
            await pilot.press("down", "enter", "down", "enter", "down", "enter")
            assert app.opened == [3, 2, 2]

    asyncio.run(scenario())


def test_names_are_no_markup() -> None:
    """A name that looks like markup, or like an escape, is shown as it is."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, Graph((node(0, "[bold]x[/] \x1b[2J"),)))
            assert lines(view) == ["[◔ [bold]x[/] ␛[2J]"]

    asyncio.run(scenario())


def test_an_empty_graph_takes_every_key() -> None:
    """Without a task no key does anything, and none fails."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, Graph(()))
            await pilot.press("j", "k", "h", "l", "g", "G", "enter", "minus", "ctrl+d")
            await pilot.press("left_square_bracket", "right_square_bracket", "pageup")
            assert (lines(view), app.opened, view.chosen) == ([], [], None)

    asyncio.run(scenario())


def test_a_click_chooses_a_box() -> None:
    """One click puts the cursor on a box, a second one opens it; beside it nothing happens."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = await shown(pilot, DIAMOND)
            await pilot.click(DagView, offset=(30, 0))
            assert (view.chosen, app.opened) == (3, [])
            await pilot.click(DagView, offset=(5, 0))
            assert view.chosen == 3
            await pilot.click(DagView, offset=(16, 1), times=2)
            assert (view.chosen, app.opened) == (2, [2])

    asyncio.run(scenario())
