"""The table of actions and keys, and what a person's own keys make of it."""

from __future__ import annotations

import string
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.keys import _character_to_key

from jobsched_tui.data.keymap import BY_ID, KEYS, RESERVED, Context, Key, remap
from jobsched_tui.data.keymap.names import BadKey, normal, of_character
from jobsched_tui.data.keymap.remapping import heard_together

C = Context
DEFAULTS = {key.id: key.keys for key in KEYS}
MOVES = "vim and tmux move between panes with it"


def own(*keys: tuple[str, str, Context]) -> list[Key]:
    """A small table: id, keys, where it is heard."""
    return [Key(name, pressed, name, "g", frozenset({where})) for name, pressed, where in keys]


def test_ids_are_one_each() -> None:
    """Each action is there once, described, and heard somewhere."""
    assert len(BY_ID) == len(KEYS)
    assert all(key.description and key.group and key.contexts for key in KEYS)


def test_defaults_are_as_designed() -> None:
    """The keys that people are promised."""
    promised = {
        "view.1": "1", "view.6": "6", "job.submit": "S", "job.cancel": "x", "job.done": "X",
        "job.retry": "R", "limits.edit": "L", "op.undo": "U", "attention.next": "a",
        "nav.up": "k,up", "nav.half_down": "ctrl+d", "list.filter": "slash", "log.search": "slash",
        "mark.toggle": "space", "mark.range": "V", "mark.all": "asterisk", "mark.none": "u",
        "log.follow": "f", "log.wrap": "w", "log.timestamps": "T", "log.numbers": "number_sign",
        "log.next_error": "right_square_bracket,full_stop",
        "log.prev_error": "left_square_bracket,comma", "app.help": "question_mark,f1",
        "app.command": "colon", "app.palette": "ctrl+p", "copy.text": "ctrl+c",
        "app.quit": "ctrl+q",
    }  # fmt: skip
    assert {name: DEFAULTS[name] for name in promised} == promised


def test_defaults_do_not_clash() -> None:
    """No key asks for two things in one place."""
    for one, other in combinations(KEYS, 2):
        if heard_together(one, other):
            shared = set(one.keys.split(",")) & set(other.keys.split(",")) - {"none"}
            assert not shared, (one.id, other.id)


def test_defaults_are_spelled_and_free() -> None:
    """Each is named as the terminal's key is, and none is one that nobody may take."""
    for key in KEYS:
        for name in key.keys.split(","):
            assert normal(name) == name
            if name in RESERVED:
                assert (key.id, name) in {("copy.text", "ctrl+c"), ("app.quit", "ctrl+q")}


def test_nothing_destructive_beside_what_moves() -> None:
    """What ends something has no key of those that move, with or without Shift or Ctrl."""
    moving = {name for key in KEYS if key.id.startswith("nav.") for name in key.keys.split(",")}
    near = {name.rpartition("+")[2].lower() for name in moving}
    destructive = [key for key in KEYS if key.destructive]
    assert {key.id for key in destructive} == {
        "job.cancel", "job.done", "job.requeue", "process.signal",
    }  # fmt: skip
    assert not near & {name for key in destructive for name in key.keys.split(",")}


@pytest.mark.parametrize("character", [*string.printable[:94], "\u00f6", "\u20ac"])
def test_characters_have_the_names_that_textual_gives(character: str) -> None:
    """So a character in config.toml is the key that types it."""
    assert normal(character) == _character_to_key(character)
    assert of_character(character) == _character_to_key(character)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (" x ", "x"), ("X", "X"), ("shift+x", "X"), ("SHIFT+X", "X"), ("/", "slash"),
        ("Slash", "slash"), ("ctrl+D", "ctrl+shift+d"), ("Ctrl+d", "ctrl+d"),
        ("shift+ctrl+d", "ctrl+shift+d"), ("alt+ctrl+f5", "alt+ctrl+f5"), ("esc", "escape"),
        ("PgUp", "pageup"), ("F12", "f12"), ("shift+tab", "shift+tab"), ("ctrl+/", "ctrl+slash"),
        ("None", "none"),
    ],
)  # fmt: skip
def test_spellings(written: str, name: str) -> None:
    """However a key is written, it has one name."""
    assert normal(written) == name
    assert normal(name) == name


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "'' names no key"),
        ("\x1b", "names no key"),
        ("xx", "'xx' names no key"),
        ("f25", "'f25' names no key; did you mean f"),
        ("escap", "did you mean escape?"),
        ("ctrl+", "names no key"),
        ("ctrl++", "names no key"),
        ("strg+x", "there is no modifier 'strg'"),
        ("shift+1", "write the character itself"),
        ("shift+slash", "write the character itself"),
        ("ctrl+none", "names no key"),
        ("y" * 500, "y\u2026' names no key"),
    ],
)
def test_no_keys(written: str, why: str) -> None:
    """What is no key is said to be none, in short."""
    with pytest.raises(BadKey) as refused:
        normal(written)
    assert why in str(refused.value)
    assert len(str(refused.value)) < 150


def test_own_keys() -> None:
    """An override takes the place of all default keys of its action, and of no other's."""
    keys, problems = remap(KEYS, {"job.cancel": "Z, ctrl+X", "list.filter": "/"})
    assert problems == []
    assert keys == {**DEFAULTS, "job.cancel": "Z,ctrl+shift+x", "list.filter": "slash"}


def test_no_key_at_all() -> None:
    """``none`` leaves an action to the palette, as often as one likes."""
    keys, problems = remap(KEYS, {"job.cancel": "none", "job.done": "none"})
    assert problems == []
    assert keys["job.cancel"] == keys["job.done"] == "none"


def test_keys_may_be_swapped() -> None:
    """Overrides are looked at together, not one after the other."""
    keys, problems = remap(KEYS, {"job.cancel": "X", "job.done": "x"})
    assert problems == []
    assert (keys["job.cancel"], keys["job.done"]) == ("X", "x")


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ({"job.cancle": "x"}, "there is no action 'job.cancle'; did you mean job.cancel?"),
        ({"": "x"}, "there is no action ''"),
        ({"job.cancel": "qq"}, "job.cancel: 'qq' names no key; it stays x"),
        ({"job.cancel": "x,"}, "job.cancel: '' names no key; it stays x"),
        ({"job.cancel": "ctrl+a"},
         "job.cancel: ctrl+a cannot be had: tmux and screen listen to it; it stays x"),
        ({"job.cancel": "Ctrl+\\"},
         f"job.cancel: ctrl+backslash cannot be had: {MOVES}; it stays x"),
        ({"nav.down": "ctrl+j"}, f"nav.down: ctrl+j cannot be had: {MOVES}; it stays j,down"),
        ({"job.cancel": "ctrl+c"}, "job.cancel: ctrl+c cannot be had: it copies; it stays x"),
        ({"job.cancel": "ctrl+q"},
         "job.cancel: ctrl+q cannot be had: it leaves the console; it stays x"),
        ({"job.cancel": "ctrl+m"},
         "job.cancel: ctrl+m cannot be had: terminals send Enter for it; it stays x"),
        ({"job.cancel": "X"}, "job.cancel: X is the key of job.done (force done); it stays x"),
        ({"app.help": "x"},
         "app.help: x is the key of job.cancel (cancel); it stays question_mark,f1"),
    ],
)  # fmt: skip
def test_what_cannot_be_had(override: dict[str, str], problem: str) -> None:
    """It is said why, and the action keeps its default."""
    keys, problems = remap(KEYS, override)
    assert problems == [problem]
    assert keys == DEFAULTS


def test_the_owner_of_a_reserved_key_may_name_it() -> None:
    """Leaving is ctrl+q by default, and may be that and more."""
    keys, problems = remap(KEYS, {"app.quit": "ctrl+q,Q"})
    assert problems == []
    assert keys["app.quit"] == "ctrl+q,Q"


def test_one_key_in_two_places() -> None:
    """Panes may share a key, as one of them has the focus; a dialog may with all of them."""
    table = own(
        ("a", "f1", C.LIST), ("b", "f2", C.LOG), ("c", "f3", C.EVERYWHERE), ("d", "f4", C.CONFIRM)
    )
    before = {"a": "f1", "b": "f2", "c": "f3", "d": "f4"}
    assert remap(table, {"a": "f2"}) == ({**before, "a": "f2"}, [])
    assert remap(table, {"d": "f3"}) == ({**before, "d": "f3"}, [])
    assert remap(table, {"a": "f3"}) == (before, ["a: f3 is the key of c (c); it stays f1"])
    assert remap(table, {"c": "f1"}) == (before, ["c: f1 is the key of a (a); it stays f3"])


def test_of_two_overrides_the_later_gives_way() -> None:
    """And whoever had taken the key to which that returns gives way in turn."""
    table = own(("a", "f1", C.LIST), ("b", "f2", C.LIST), ("c", "f3", C.LIST))
    keys, problems = remap(table, {"a": "f2", "b": "f4", "c": "f4"})
    assert keys == {"a": "f2", "b": "f4", "c": "f3"}
    assert problems == ["c: f4 is the key of b (b); it stays f3"]
    keys, problems = remap(table, {"a": "f9", "c": "f2", "b": "f9"})
    assert keys == {"a": "f9", "b": "f2", "c": "f3"}
    assert problems == [
        "b: f9 is the key of a (a); it stays f2",
        "c: f2 is the key of b (b); it stays f3",
    ]


@given(
    st.dictionaries(
        st.sampled_from(sorted(BY_ID)) | st.text(max_size=5),
        st.lists(
            st.sampled_from([*"abcxXqQ/", "ctrl+a", "tab", "none", "shift+1"]), max_size=2
        ).map(",".join)
        | st.text(max_size=5),
        max_size=8,
    )
)
def test_whatever_is_asked_for(overrides: dict[str, str]) -> None:
    """The result has each action, no clash, nothing reserved; each override is had or explained."""
    keys, problems = remap(KEYS, overrides)
    assert set(keys) == set(BY_ID)
    for one, other in combinations(KEYS, 2):
        shared = set(keys[one.id].split(",")) & set(keys[other.id].split(",")) - {"none"}
        assert not (shared and heard_together(one, other)), (one.id, other.id, shared)
    for name, pressed in keys.items():
        assert not set(pressed.split(",")) & set(RESERVED) - set(DEFAULTS[name].split(","))
    refused = [name for name in overrides if keys.get(name) == DEFAULTS.get(name)]
    assert len(problems) <= len(overrides)
    assert all(name in keys or any(repr(name[:40]) in one for one in problems) for name in refused)
