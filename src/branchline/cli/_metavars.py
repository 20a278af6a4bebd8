"""What stands for the value of an option in ``--help``: COLUMN, FILE, N; never a type of Python."""

from typing import Any

from typer.core import TyperGroup

__all__ = ["Verbs"]

_COLUMN, _FILE = "COLUMN", "FILE"
_OF_NAME = {
    **dict.fromkeys(("target", "keep", "copy", "ids", "drop", "by", "group", "known"), _COLUMN),
    **dict.fromkeys(("time_column",), _COLUMN),
    **dict.fromkeys(("column", "columns"), "COLUMN,…"),
    **dict.fromkeys(("draw", "save", "output", "report", "run", "edit", "path"), _FILE),
    **dict.fromkeys(("record", "data_path", "answers"), _FILE),
    "show": _COLUMN,
    "classes": "NAME,…",
    "model": "MODEL",
    "data": "FOLDER",
    "kind": "COLUMN=KIND",
    "settings": "NAME=VALUE",
    "missing": "TEXT",
    "costs": "TRUTH>PREDICTED=COST",
    "time_budget": "TIME",
    "seal": "SHARE",
    "interval": "PERCENT",
    "require": "RULE",
    "learners": "NAME,…",
    "metric": "NAME,…",
    "sizes": "N,…",
    "delimiter": "CHARACTER",
    "decimal": "CHARACTER",
}


class Verbs(TyperGroup):
    """The verbs, with words for the values of their options."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb whose options show words for their values."""
        command = super().get_command(ctx, cmd_name)
        for parameter in [] if command is None else command.params:
            if parameter.metavar is None and not getattr(parameter, "is_flag", False):
                parameter.metavar = _word(parameter)
        return command


def _word(parameter: Any) -> str:
    """Return the word for the value of an option or argument."""
    least = getattr(parameter, "min", None)
    is_number = least is not None or isinstance(parameter.default, int)
    return _OF_NAME.get(parameter.name, "N" if is_number else "NAME")
