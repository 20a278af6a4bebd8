"""Checks that several kernels share: names of columns, numbers that a function answers."""

from typing import Any

from branchline.errors import ParameterError, Repair

__all__ = ["check_columns"]


def check_columns(owner: str, columns: Any) -> None:
    """Refuse columns that are not names, or a name that is given twice."""
    if not isinstance(columns, tuple | list) or not all(isinstance(n, str) for n in columns):
        raise ParameterError(
            f"{owner} takes names of columns, each a text; other parameters go by name. "
            f"Got {columns!r} instead.",
            code="P164",
            values=[columns],
            repair=Repair(f'kernel = {owner}("height", "weight")'),
        )
    if len(set(columns)) < len(columns):
        raise ParameterError(
            f"{owner} was given a column twice: {list(columns)!r}.", code="P164", values=columns
        )
