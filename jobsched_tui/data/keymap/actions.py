"""The table of actions: id, default keys, what it says in help, where it is heard.

Keys have the names that Textual gives them (``slash``, ``ctrl+d``, ``X``). No destructive one lies
beside those that move, and none is taken from tmux, screen or vim's panes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final


@unique
class Context(StrEnum):
    """Where a key is heard: the pane that has the focus, or a dialog that is open."""

    LIST = "list"
    #: The timeline, processes, YAML and events of a job.
    DETAIL = "detail"
    LOG = "log"
    DAG = "dag"
    #: Beside any of the panes above. A dialog is alone: it hears nothing but its own keys.
    EVERYWHERE = "everywhere"
    LIMITS = "limits"
    SUBMIT = "submit"
    CONFIRM = "confirm"
    CHOOSE = "choose"
    #: The one line that filters, searches and commands are typed in.
    PROMPT = "prompt"
    #: Help and the audit: what is only read.
    READING = "reading"


#: The panes; a dialog is none.
PANES: Final = frozenset({Context.LIST, Context.DETAIL, Context.LOG, Context.DAG})


@dataclass(frozen=True, slots=True)
class Key:
    """One action and the keys that ask for it."""

    #: What ``[console] keys`` calls it.
    id: str
    #: A comma between two; ``none``: only the palette has it.
    keys: str
    #: A few words for help and footer.
    description: str
    #: The heading in help.
    group: str
    contexts: frozenset[Context]
    #: Whether it ends something. Such an action always asks first.
    destructive: bool = False


_C = Context
_LIST: Final = frozenset({_C.LIST})
_LOG: Final = frozenset({_C.LOG})
_DAG: Final = frozenset({_C.DAG})
_DETAIL: Final = frozenset({_C.DETAIL})
_EVERYWHERE: Final = frozenset({_C.EVERYWHERE})
_LIMITS: Final = frozenset({_C.LIMITS})
_SUBMIT: Final = frozenset({_C.SUBMIT})
_CONFIRM: Final = frozenset({_C.CONFIRM})
_CHOOSE: Final = frozenset({_C.CHOOSE})
_PROMPT: Final = frozenset({_C.PROMPT})
_READING: Final = frozenset({_C.READING})
#: Where a cursor, or what is seen, moves.
_MOVING: Final = PANES | _READING

_MOVE: Final = (
    Key("nav.up", "k,up", "up", "Move", _MOVING),
    Key("nav.down", "j,down", "down", "Move", _MOVING),
    Key("nav.top", "g,home", "to the top", "Move", _MOVING),
    Key("nav.bottom", "G,end", "to the end; a log follows", "Move", _MOVING),
    Key("nav.half_down", "ctrl+d", "half a page down", "Move", _MOVING),
    Key("nav.half_up", "ctrl+u", "half a page up", "Move", _MOVING),
    Key("nav.page_down", "pagedown", "a page down", "Move", _MOVING),
    Key("nav.page_up", "pageup", "a page up", "Move", _MOVING),
    Key("nav.left", "h,left", "left; in the DAG along an edge", "Move", _LOG | _DAG),
    Key("nav.right", "l,right", "right; in the DAG along an edge", "Move", _LOG | _DAG),
    Key("nav.open", "enter", "open", "Move", _LIST | _DETAIL | _DAG),
    Key("nav.back", "escape", "one step back", "Move", _EVERYWHERE),
    Key("nav.leave", "q", "back; leaves from the job list", "Move", _EVERYWHERE),
    Key("pane.next", "tab", "next pane", "Move", _EVERYWHERE),
    Key("pane.previous", "shift+tab", "previous pane", "Move", _EVERYWHERE),
    Key("pane.zoom", "z", "this pane alone", "Move", _EVERYWHERE),
    Key("pane.grow", "plus", "more room for this pane", "Move", _EVERYWHERE),
    Key("pane.shrink", "underscore", "less room for this pane", "Move", _EVERYWHERE),
)

_JOBS: Final = (
    Key("view.1", "1", "all jobs", "Jobs", PANES),
    Key("view.2", "2", "active jobs", "Jobs", PANES),
    Key("view.3", "3", "waiting jobs", "Jobs", PANES),
    Key("view.4", "4", "failed jobs", "Jobs", PANES),
    Key("view.5", "5", "jobs that are done", "Jobs", PANES),
    Key("view.6", "6", "what needs attention", "Jobs", PANES),
    Key("list.filter", "slash", "filter", "Jobs", _LIST),
    Key("list.columns", "f2", "choose columns", "Jobs", _LIST),
    Key("list.wide", "w", "wide columns", "Jobs", _LIST),
    Key("list.sort", "o", "sort", "Jobs", _LIST),
    Key("list.sort_left", "less_than_sign", "sort by the column before", "Jobs", _LIST),
    Key("list.sort_right", "greater_than_sign", "sort by the next column", "Jobs", _LIST),
    Key("list.invert", "I", "the other way round", "Jobs", _LIST),
    Key("list.lock", "F", "keep the cursor on this job", "Jobs", _LIST),
    Key("mark.toggle", "space", "mark", "Jobs", _LIST),
    Key("mark.range", "V", "begin a range, or mark it", "Jobs", _LIST),
    Key("mark.all", "asterisk", "mark all that match", "Jobs", _LIST),
    Key("mark.none", "u", "unmark all", "Jobs", _LIST),
)

_LOOK: Final = (
    Key("job.log", "l", "log; pressed there, the job's next log", "Look", _LIST | _DETAIL),
    Key("job.logs", "vertical_line", "logs of tasks or marked jobs, side by side", "Look", PANES),
    Key("job.timeline", "t", "timeline", "Look", PANES),
    Key("job.dag", "D", "DAG", "Look", PANES),
    Key("job.processes", "P", "processes", "Look", PANES),
    Key("job.yaml", "y", "YAML", "Look", PANES),
    Key("job.events", "E", "events", "Look", PANES),
    Key("attention.next", "a", "next that needs attention", "Look", _EVERYWHERE),
    Key("app.past", "at", "show another moment", "Look", _EVERYWHERE),
)

_ACT: Final = (
    Key("job.submit", "S", "submit a DAG", "Act", _EVERYWHERE),
    Key("job.cancel", "x", "cancel", "Act", PANES, destructive=True),
    Key("job.done", "X", "force done", "Act", PANES, destructive=True),
    Key("job.retry", "R", "run again as a new job", "Act", PANES),
    Key("job.requeue", "r", "replace its controller", "Act", PANES, destructive=True),
    Key("job.hold", "H", "hold, or release", "Act", PANES),
    Key("job.priority", "i", "change the priority", "Act", PANES),
    Key("process.signal", "K", "send a signal", "Act", _DETAIL, destructive=True),
    Key("limits.edit", "L", "limits and pause", "Act", _EVERYWHERE),
    Key("op.undo", "U", "take back the last action", "Act", _EVERYWHERE),
    Key("op.sweep", "none", "take back what the dead left", "Act", _EVERYWHERE),
)

_LOG_KEYS: Final = (
    Key("log.search", "slash", "search", "Log", _LOG),
    Key("log.next_match", "n", "next match", "Log", _LOG),
    Key("log.prev_match", "N", "match before", "Log", _LOG),
    Key("log.keep", "ampersand", "keep only lines that match", "Log", _LOG),
    Key("log.next_error", "right_square_bracket,full_stop", "next error", "Log", _LOG),
    Key("log.prev_error", "left_square_bracket,comma", "error before", "Log", _LOG),
    Key("log.follow", "f", "follow", "Log", _LOG),
    Key("log.wrap", "w", "wrap long lines", "Log", _LOG),
    Key("log.timestamps", "T", "timestamps", "Log", _LOG),
    Key("log.numbers", "number_sign", "line numbers", "Log", _LOG),
)

_DAG_KEYS: Final = (
    Key("dag.upstream", "left_square_bracket", "what it depends on", "DAG", _DAG),
    Key("dag.downstream", "right_square_bracket", "what depends on it", "DAG", _DAG),
    Key("dag.collapse", "minus", "fold what is finished", "DAG", _DAG),
)

_CONSOLE: Final = (
    Key("app.help", "question_mark,f1", "help for this pane", "Console", _EVERYWHERE),
    Key("app.command", "colon", "command line", "Console", _EVERYWHERE),
    Key("app.palette", "ctrl+p", "all actions", "Console", _EVERYWHERE),
    Key("app.pause", "p", "stop or resume live updates", "Console", _EVERYWHERE),
    Key("app.reload", "ctrl+r", "read everything now", "Console", _EVERYWHERE),
    Key("app.mouse", "M", "mouse on or off", "Console", _EVERYWHERE),
    Key("app.demo", "d", "where there is no database: a demonstration", "Console", _EVERYWHERE),
    Key("app.quit", "ctrl+q", "leave", "Console", _EVERYWHERE),
    Key("copy.text", "ctrl+c", "copy the selected text", "Console", _EVERYWHERE),
    Key("copy.menu", "c", "copy id, PID or path", "Console", PANES),
    Key("copy.command", "C", "copy the command that does the same", "Console", _EVERYWHERE),
    Key("copy.report", "Y", "copy a report of the failure", "Console", PANES),
    Key("export.pager", "v", "open in $PAGER", "Console", PANES),
    Key("export.editor", "e", "open in $EDITOR", "Console", PANES),
    Key("export.save", "ctrl+s", "save: csv, json, txt or svg", "Console", PANES),
)

_DIALOGS: Final = (
    Key("confirm.yes", "y", "do it", "Dialogs", _CONFIRM),
    Key("confirm.no", "escape", "do nothing", "Dialogs", _CONFIRM),
    Key("confirm.no_letter", "n", "do nothing", "Dialogs", _CONFIRM),
    Key("confirm.up", "up", "up", "Dialogs", _CONFIRM),
    Key("confirm.down", "down", "down", "Dialogs", _CONFIRM),
    Key("confirm.page_up", "pageup", "a page up", "Dialogs", _CONFIRM),
    Key("confirm.page_down", "pagedown", "a page down", "Dialogs", _CONFIRM),
    Key("confirm.left", "left", "previous button", "Dialogs", _CONFIRM),
    Key("confirm.right", "right", "next button", "Dialogs", _CONFIRM),
    Key("choose.up", "k", "up", "Dialogs", _CHOOSE),
    Key("choose.down", "j", "down", "Dialogs", _CHOOSE),
    Key("choose.tick", "space", "choose, or not", "Dialogs", _CHOOSE),
    Key("choose.close", "escape,q", "close", "Dialogs", _CHOOSE),
    Key("limits.more", "up", "one more", "Dialogs", _LIMITS),
    Key("limits.less", "down", "one less", "Dialogs", _LIMITS),
    Key("limits.set", "ctrl+s", "set them", "Dialogs", _LIMITS),
    Key("limits.close", "escape", "close", "Dialogs", _LIMITS),
    Key("submit.send", "ctrl+s", "submit", "Dialogs", _SUBMIT),
    Key("submit.close", "escape", "keep the draft and close", "Dialogs", _SUBMIT),
    Key("submit.edit", "ctrl+e", "the text in $EDITOR", "Dialogs", _SUBMIT),
    Key("submit.file", "f2", "to the file", "Dialogs", _SUBMIT),
    Key("submit.text", "f3", "to the text", "Dialogs", _SUBMIT),
    Key("submit.problems", "f4", "to the problems", "Dialogs", _SUBMIT),
    Key("submit.variables", "f5", "to the variables", "Dialogs", _SUBMIT),
    Key("prompt.leave", "escape", "leave it as it was", "Dialogs", _PROMPT),
    Key("prompt.earlier", "up", "what was typed before", "Dialogs", _PROMPT),
    Key("prompt.later", "down", "what was typed after that", "Dialogs", _PROMPT),
    Key("prompt.complete", "tab", "finish the word", "Dialogs", _PROMPT),
    Key("reading.close", "escape,q,question_mark,f1", "close", "Dialogs", _READING),
    Key("flag.switch", "space,enter", "on or off", "Dialogs", _LIMITS | _SUBMIT),
)

#: All of them, in the order of the help.
KEYS: Final = (
    *_MOVE, *_JOBS, *_LOOK, *_ACT, *_LOG_KEYS, *_DAG_KEYS, *_CONSOLE, *_DIALOGS,
)  # fmt: skip
#: The same by id, for whoever binds one.
BY_ID: Final[Mapping[str, Key]] = MappingProxyType({key.id: key for key in KEYS})
