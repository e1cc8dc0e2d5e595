from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import set_cell_size

from jobsched.models import DagSpec, TaskSpec
from jobsched.states import TaskStatus
from jobsched_tui.data.dag import Graph, Node, depths, graph_of, without_finished
from jobsched_tui.present.dag import MOST_BOXES, Drawing, Way, draw, walk
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.present.spans import plain, width

Edges = set[tuple[int, int]]
NOT_SHOWN = "1 succeeded task not shown"


def graph(names: str, edges: Edges | None = None, *, is_group: bool = False) -> Graph:
    """Pending tasks, each named by one word of ``names``."""
    nodes = tuple(
        Node(task_id=index, name=name, status=TaskStatus.PENDING)
        for index, name in enumerate(names.split())
    )
    return Graph(nodes, frozenset(edges or ()), is_group)


def drawn(what: Graph, cells: int = 80, pen: Pen = UNICODE) -> list[str]:
    """The lines of a drawing as text."""
    return [plain(line) for line in draw(what, cells, pen).lines]


CASES: dict[str, tuple[Graph, list[str], list[str]]] = {
    "one": (graph("only"), ["[◔ only]"], ["[p only]"]),
    "none": (graph(""), [], []),
    "chain": (
        graph("a b c", {(0, 1), (1, 2)}),
        ["[◔ a]───[◔ b]───[◔ c]"],
        ["[p a]---[p b]---[p c]"],
    ),
    "fan-out": (
        graph("a b c d", {(0, 1), (0, 2), (0, 3)}),
        ["      ┌─[◔ b]", "[◔ a]─┼─[◔ c]", "      └─[◔ d]"],
        ["      +-[p b]", "[p a]-+-[p c]", "      +-[p d]"],
    ),
    "fan-in": (
        graph("a b c d", {(0, 3), (1, 3), (2, 3)}),
        ["[◔ a]─┐", "[◔ b]─┼─[◔ d]", "[◔ c]─┘"],
        ["[p a]-+", "[p b]-+-[p d]", "[p c]-+"],
    ),
    "diamond": (
        graph("a b c d", {(0, 1), (0, 2), (1, 3), (2, 3)}),
        ["      ┌─[◔ b]─┬─[◔ d]", "[◔ a]─┴─[◔ c]─┘"],
        ["      +-[p b]-+-[p d]", "[p a]-+-[p c]-+"],
    ),
    "all to all": (
        graph("a b c d", {(0, 2), (0, 3), (1, 2), (1, 3)}),
        ["[◔ a]─┬─[◔ c]", "[◔ b]─┴─[◔ d]"],
        ["[p a]-+-[p c]", "[p b]-+-[p d]"],
    ),
    "all but one: the arrow says that b does not lead to c": (
        graph("a b c d", {(0, 2), (0, 3), (1, 3)}),
        ["[◔ a]─┬─[◔ c]", "[◔ b]─▼─[◔ d]"],
        ["[p a]-+-[p c]", "[p b]-v-[p d]"],
    ),
    "crossing that another order avoids": (
        graph("a b c d", {(0, 3), (1, 2)}),
        ["[◔ a]───[◔ d]", "[◔ b]───[◔ c]"],
        ["[p a]---[p d]", "[p b]---[p c]"],
    ),
    "crossing that no order avoids": (
        graph("a b c x y z", {(0, 3), (0, 4), (1, 3), (1, 5), (2, 4), (2, 5)}),
        [
            "[◔ a]───┬───▲─[◔ x]",
            "[◔ b]─┐ └─▲─│─[◔ y]",
            "      └───│─┤",
            "[◔ c]─────┴─▼─[◔ z]",
        ],
        [
            "[p a]---+---^-[p x]",
            "[p b]-+ +-^-|-[p y]",
            "      +---|-+",
            "[p c]-----+-v-[p z]",
        ],
    ),
    "edge past a layer": (
        graph("a b c", {(0, 1), (1, 2), (0, 2)}),
        ["      ┌─[◔ b]─┬─[◔ c]", "[◔ a]─┴───────┘"],
        ["      +-[p b]-+-[p c]", "[p a]-+-------+"],
    ),
    "disconnected": (
        graph("a b c", {(0, 1)}),
        ["[◔ a]───[◔ b]", "[◔ c]"],
        ["[p a]---[p b]", "[p c]"],
    ),
    "group": (
        graph("a b c", is_group=True),
        ["┌─[◔ a]", "├─[◔ b]", "└─[◔ c]", "a group: all are placed together, or none"],
        ["+-[p a]", "+-[p b]", "+-[p c]", "a group: all are placed together, or none"],
    ),
    "names of other widths": (
        graph("数据 ab", {(0, 1)}),
        ["[◔ 数据]───[◔ ab]"],
        ["[p ????]---[p ab]"],
    ),
    "names with markup and escapes": (
        graph("[red]a[/] \x1b[31m", {(0, 1)}),
        ["[◔ [red]a[/]]───[◔ ␛[31m]"],
        ["[p [red]a[/]]---[p ?[31m]"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_graph_is_drawn_exactly_so(case: str) -> None:
    """Boxes stand in layers, and lines join what depends on each other and nothing else."""
    what, boxes, _ = CASES[case]
    assert drawn(what) == boxes


@pytest.mark.parametrize("case", CASES)
def test_the_same_in_ascii(case: str) -> None:
    """In ASCII every sign has a twin of the same width."""
    what, _, boxes = CASES[case]
    assert drawn(what, pen=ASCII) == boxes


def test_a_box_tells_state_name_and_time() -> None:
    """A task shows its sign and how long it has run; one that has not started shows no time."""
    nodes = (
        Node(task_id=0, name="prepare", status=TaskStatus.SUCCEEDED, seconds=38.0),
        Node(task_id=1, name="train", status=TaskStatus.RUNNING, seconds=3720.0),
        Node(task_id=2, name="eval", status=TaskStatus.PENDING),
    )
    assert drawn(Graph(nodes, frozenset({(0, 1), (1, 2)}))) == [
        "[✓ prepare 38s]───[● train 1h02m]───[◔ eval]"
    ]


def test_names_are_cut_until_the_graph_fits() -> None:
    """Where there is little room all names are cut to the same length."""
    what = graph("preparation training", {(0, 1)})
    assert drawn(what, 31) == ["[◔ preparation]───[◔ training]"]
    assert drawn(what, 27) == ["[◔ prepara…]───[◔ training]"]
    assert drawn(what, 26) == ["[◔ prepar…]───[◔ traini…]"]


def test_a_graph_that_is_too_wide_is_a_tree() -> None:
    """Every task stands below the one that it follows last, and names what else it follows."""
    what = graph("a b c d e", {(0, 1), (1, 2), (0, 3), (2, 3), (0, 4)})
    drawing = draw(what, 24)
    assert drawing.is_tree
    assert [plain(line) for line in drawing.lines] == [
        "[◔ a]",
        "├─[◔ b]",
        "│ └─[◔ c]",
        "│   └─[◔ d]  also after…",
        "└─[◔ e]",
    ]


def test_more_than_sixty_tasks_are_a_tree() -> None:
    """However wide the terminal is, a graph of many tasks is no longer drawn as boxes."""
    names = " ".join(f"t{index}" for index in range(MOST_BOXES + 1))
    assert draw(graph(names), 10_000).is_tree
    assert not draw(graph(names.rpartition(" ")[0]), 10_000).is_tree


def test_a_long_chain_as_a_tree_stays_in_sight() -> None:
    """The indentation of a deep tree is cut from the left, so that names can still be read."""
    names = " ".join(f"t{index}" for index in range(80))
    lines = drawn(graph(names, {(index, index + 1) for index in range(79)}), 60)
    assert lines[-1].startswith("…")
    assert lines[-1].endswith("└─[◔ t79]")


def test_what_has_succeeded_can_be_left_out() -> None:
    """Succeeded tasks vanish and are counted; a failed one stays."""
    nodes = (
        Node(task_id=0, name="a", status=TaskStatus.SUCCEEDED),
        Node(task_id=1, name="b", status=TaskStatus.FAILED),
        Node(task_id=2, name="c", status=TaskStatus.CANCELLED),
    )
    rest = without_finished(Graph(nodes, frozenset({(0, 1), (1, 2)})))
    assert drawn(rest) == ["[✗ b]───[⊘ c]", NOT_SHOWN]


def test_the_graph_comes_from_a_job_and_its_dag() -> None:
    """Names, statuses and times are the job's, edges and auxiliary tasks the DAG's."""
    task = {"started_at": None, "ended_at": None}
    job = {
        "tasks": [
            {"task_id": 0, "name": "x", "status": "SUCCEEDED", "started_at": 10, "ended_at": 15},
            {"task_id": 1, "name": "y", "status": "RUNNING", "started_at": 15, "ended_at": None},
            {"task_id": 2, "name": "z", "status": "PENDING", **task},
        ]
    }
    spec = DagSpec(
        name="j",
        tasks=(
            TaskSpec(task_id=0, name="x"),
            TaskSpec(task_id=1, name="y", depends_on=(0,)),
            TaskSpec(task_id=2, name="z", depends_on=(0, 1), counts=False),
        ),
    )
    found = graph_of(job, spec, now=40.0)
    assert found.edges == {(0, 1), (0, 2), (1, 2)}
    assert [node.seconds for node in found.nodes] == [5, 25, None]
    assert [node.counts for node in found.nodes] == [True, True, False]
    assert graph_of(job, None, now=40.0).edges == frozenset()


def test_upstream_and_downstream_reach_all_the_way() -> None:
    """What a task depends on, and what depends on it, is followed to the end."""
    what = graph("a b c d e", {(0, 1), (1, 2), (1, 3), (4, 3)})
    assert what.upstream(3) == {0, 1, 4}
    assert what.downstream(0) == {1, 2, 3}
    assert what.upstream(0) == frozenset()


def test_arrows_walk_along_edges() -> None:
    """Left and right follow edges to the nearest row; up and down stay in the layer."""
    what = graph("a b c d", {(0, 1), (0, 2), (0, 3)})
    drawing = draw(what, 80)
    assert walk(what, drawing, 0, Way.RIGHT) == 2
    assert walk(what, drawing, 2, Way.UP) == 1
    assert walk(what, drawing, 2, Way.DOWN) == 3
    assert walk(what, drawing, 3, Way.LEFT) == 0
    assert walk(what, drawing, 3, Way.DOWN) == 3
    assert walk(what, drawing, 3, Way.RIGHT) == 3


def test_in_a_tree_up_and_down_go_line_by_line() -> None:
    """A tree is walked down through all of its lines."""
    what = graph("a b c", {(0, 1), (0, 2)})
    drawing = draw(what, 11)
    assert drawing.is_tree
    assert [walk(what, drawing, at, Way.DOWN) for at in (0, 1, 2)] == [1, 2, 2]


NAMES = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("数[]\x1b\n│é\u200b"), max_size=12
)


@st.composite
def graphs(draw_: st.DrawFn) -> Graph:
    """Any graph of a few tasks, edges of cycles included."""
    count = draw_(st.integers(0, 14))
    nodes = tuple(
        Node(
            task_id=index,
            name=draw_(NAMES),
            status=draw_(st.sampled_from(TaskStatus)),
            seconds=draw_(st.none() | st.floats(0, 1e7)),
        )
        for index in range(count)
    )
    ends = st.integers(0, max(0, count - 1))
    edges = draw_(st.frozensets(st.tuples(ends, ends), max_size=30)) if count else frozenset()
    return Graph(nodes, edges, is_group=draw_(st.booleans()))


def overlaps(drawing: Drawing) -> bool:
    """Whether two boxes share a cell."""
    cells = [(box.y, x) for box in drawing.boxes.values() for x in range(box.x, box.x + box.width)]
    return len(cells) != len(set(cells))


@given(graphs(), st.integers(1, 200), st.sampled_from([UNICODE, ASCII]))
def test_every_graph_can_be_drawn(what: Graph, cells: int, pen: Pen) -> None:
    """Every task has one box, no two overlap, every line fits, a box is where it is said to be."""
    drawing = draw(what, cells, pen)
    assert set(drawing.boxes) == {node.task_id for node in what.nodes}
    assert not overlaps(drawing)
    assert all(width(line) <= cells for line in drawing.lines)
    if not drawing.is_tree:
        for box in drawing.boxes.values():
            text = cut(plain(drawing.lines[box.y]), box.x, box.width)
            assert (text[0], text[-1]) == ("[", "]")


def cut(text: str, start: int, cells: int) -> str:
    """Some cells of a line."""
    return set_cell_size(text.removeprefix(set_cell_size(text, start)), cells)


@given(graphs())
def test_layers_follow_every_edge_that_is_in_no_cycle(what: Graph) -> None:
    """A task stands further right than all that it follows."""
    depth = depths(what)
    for source, target in what.edges:
        if source not in what.downstream(target) and not any(
            one in what.downstream(one) for one in what.upstream(target)
        ):
            assert depth[source] < depth[target]


EDGES = st.frozensets(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda edge: edge[0] < edge[1]),
    max_size=18,
)


@given(EDGES)
def test_lines_can_be_followed_from_every_task_to_exactly_its_followers(
    edges: frozenset[tuple[int, int]],
) -> None:
    """Whoever reads the drawing by its characters alone finds the edges that there are."""
    what = Graph(
        tuple(Node(task_id=one, name=str(one), status=TaskStatus.PENDING) for one in range(10)),
        edges,
    )
    drawing = draw(what, 10_000)
    lines = [plain(line).ljust(drawing_width(drawing)) for line in drawing.lines]
    starts = {(box.y, box.x): task_id for task_id, box in drawing.boxes.items()}
    for task_id, box in drawing.boxes.items():
        assert followed(lines, starts, box.y, box.x + box.width) == set(what.after(task_id))


def drawing_width(drawing: Drawing) -> int:
    """Cells of its longest line."""
    return max(width(line) for line in drawing.lines)


#: Where one can go from a character: up, down, left, right.
OPEN = {
    "─": "LR", "│": "UD", "┐": "LD", "┘": "LU", "┌": "RD", "└": "RU",
    "┬": "LRD", "┴": "LRU", "├": "URD", "┤": "ULD", "┼": "ULRD",
}  # fmt: skip
MOVES = {"U": (-1, 0, "D"), "D": (1, 0, "U"), "L": (0, -1, "R"), "R": (0, 1, "L")}


def followed(lines: list[str], starts: dict[tuple[int, int], int], y: int, x: int) -> set[int]:
    """The tasks that the lines which leave a box at this cell lead to."""
    found: set[int] = set()
    waiting, seen = [(y, x, "L")], set()
    while waiting:
        y, x, came = waiting.pop()
        if (y, x, came) in seen or not (0 <= y < len(lines) and 0 <= x < len(lines[y])):
            continue
        seen.add((y, x, came))
        if (y, x) in starts:
            found.add(starts[y, x])
            continue
        for way in exits(lines[y][x], came):
            rows, columns, back = MOVES[way]
            waiting.append((y + rows, x + columns, back))
    return found


def exits(character: str, came: str) -> str:
    """The ways out for a line that comes in from one side; none ever leads back to the left."""
    if character == "│" and came == "L":
        return "R"  # it passes under
    if character in "▼▲":
        # What comes along goes on; what comes down (or up) turns in, and goes on its own way too.
        along = {"L": "R", "U": "RD", "D": "RU"}
        return along.get(came, "")
    if came not in OPEN.get(character, ""):
        return ""
    return "".join(way for way in OPEN[character] if way not in (came, "L"))
