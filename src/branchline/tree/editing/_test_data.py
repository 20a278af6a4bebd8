"""Tests of nodes as plain data, for lists of edits: columns and categories by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from branchline._names import nearest_name, no_such_column_words
from branchline._trees._tree_arrays import EVERY_BRANCH, STAY
from branchline._validation import Real
from branchline.errors import ParameterError, Repair
from branchline.table import Schema
from branchline.tree._nested import NodeTest

__all__ = ["place_of_column", "test_from_dict", "test_to_dict"]

_MISSING = {STAY: "stay", EVERY_BRANCH: "every_branch"}
_BRANCH_OF_WORD = {words: branch for branch, words in _MISSING.items()}


def bad_edit(what: str, *, column: str | None = None, repair: str | None = None) -> ParameterError:
    """Return the error of an edit that cannot be made."""
    return ParameterError(what, code="P561", column=column, repair=Repair(repair))


def place_of_column(schema: Schema, name: Any) -> int:
    """Return the place of a column that an edit names."""
    if isinstance(name, str) and name in schema.position:
        return int(schema.position[name])
    near = nearest_name(name, schema.names)
    words = no_such_column_words(name, list(schema.names), near)
    raise bad_edit(f"An edit names a column that the tree does not have. {words}")


def test_to_dict(test: NodeTest, schema: Schema) -> dict[str, Any]:
    """Return a test as plain data."""
    field = schema.fields[test.column]
    about: dict[str, Any] = {"column": field.name}
    if test.is_presence:
        about["present"] = True
    elif test.branch_of_category is None:
        about["threshold"] = test.threshold
    else:
        names = np.array(field.type.categories or (), dtype=object)
        about["categories"] = [
            names[test.branch_of_category == branch].tolist() for branch in range(test.n_branches)
        ]
    about["missing"] = _MISSING.get(test.missing, test.missing)
    return about


def test_from_dict(data: Mapping[str, Any], schema: Schema) -> NodeTest:
    """Return the test that plain data describe, refusing what is no test of the column.

    A branch of missing values that is not given is STAY; the editor puts a branch in its place.
    """
    column = place_of_column(schema, data.get("column"))
    field = schema.fields[column]
    missing = _missing(data.get("missing"), field.name)
    if field.type.categories is not None:
        return _of_categories(data.get("categories"), column, schema, missing)
    if data.get("categories") is not None:
        raise bad_edit(
            f"{field.name!r} is numeric: its test needs a threshold, not categories.",
            column=field.name,
        )
    if data.get("present"):
        return NodeTest(column, float("inf"), None, 2, 1)
    threshold = data.get("threshold")
    if not Real().allows(threshold):
        raise bad_edit(
            f"The threshold of {field.name!r} must be a finite number. Got {threshold!r} instead.",
            column=field.name,
            repair="editor.replace(node, column, threshold=30.5)",
        )
    assert threshold is not None
    return NodeTest(column, float(threshold), None, 3 if missing == 2 else 2, missing)


def _missing(given: Any, column: str) -> int:
    if given is None:
        return STAY
    if isinstance(given, str) and given in _BRANCH_OF_WORD:
        return _BRANCH_OF_WORD[given]
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given
    raise bad_edit(
        f"The branch of missing values of {column!r} must be the number of a branch. Got {given!r} "
        "instead.",
        column=column,
    )


def _of_categories(given: Any, column: int, schema: Schema, missing: int) -> NodeTest:
    field = schema.fields[column]
    known = list(field.type.categories or ())
    groups = _groups(given, known, field.name)
    branch_of = np.full(len(known), STAY, dtype=np.int32)
    for branch, names in enumerate(groups):
        for name in names:
            if name not in known or branch_of[known.index(name)] != STAY:
                raise bad_edit(
                    f"{name!r} is not a category of {field.name!r}, or is in two branches. Its "
                    f"categories: {', '.join(map(str, known[:12]))}.",
                    column=field.name,
                )
            branch_of[known.index(name)] = branch
    if missing >= len(groups):
        raise bad_edit(f"{field.name!r} has no branch {missing}.", column=field.name)
    return NodeTest(column, None, branch_of, len(groups), missing)


def _groups(given: Any, known: list[Any], column: str) -> list[list[Any]]:
    """Return the categories of each branch; one list alone means: these, and all others."""
    kinds = (list, tuple, set, frozenset)
    if not isinstance(given, kinds) or not given:
        raise bad_edit(
            f"The categories of {column!r} must be a list: of those that go first, or a list for "
            f"each branch. Got {given!r} instead.",
            column=column,
            repair="editor.replace(node, column, categories=['a', 'b'])",
        )
    if not any(isinstance(each, kinds) for each in given):
        first = list(given)
        given = [first, [name for name in known if name not in set(first)]]
    groups: Sequence[Any] = [list(each) for each in given]
    if len(groups) < 2 or not all(groups):
        raise bad_edit(f"A test of {column!r} needs at least two branches.", column=column)
    return list(groups)
