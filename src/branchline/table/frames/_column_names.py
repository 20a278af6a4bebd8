"""Column names as texts: what to call columns whose names are numbers, tuples or absent."""

from collections.abc import Iterable

__all__ = ["column_names", "made_up_names"]


def made_up_names(n_columns: int) -> list[str]:
    """Return x0, x1, …: the names of columns that have none."""
    return [f"x{place}" for place in range(n_columns)]


def column_names(labels: Iterable[object]) -> tuple[list[str], bool]:
    """Return the labels as texts, and whether they are names that columns may be found by.

    The labels 0, 1, … are positions, not names: such columns are called x0, x1, …
    """
    given = list(labels)
    if all(isinstance(label, str) for label in given):
        return [str(label) for label in given], True
    if all(type(label) is int for label in given) and given == list(range(len(given))):
        return made_up_names(len(given)), False
    return [str(label) for label in given], False
