"""The parameters of both tree estimators, their constraints and which of them go together.

1. ``GROWING`` and ``PRUNING`` state what each parameter may be, once for both estimators.
2. ``check_mix`` refuses parameters that contradict each other, before any data are looked at.
3. Parameters that name columns (costs of tests, subsets, intervals) are resolved on the table.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._codes import MAX_CATEGORIES
from branchline._names import nearest_name, no_such_column_words
from branchline._size_rule import RULE
from branchline._validation import AnyOf, Constraint, Flag, Given, OneOf, Real, Whole
from branchline.errors import ParameterError, Repair
from branchline.table import Table
from branchline.tree.growing._measures import check_measure
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = [
    "ADDED",
    "GROWING",
    "PRUNING",
    "check_mix",
    "cost_of_columns",
    "cuts_of_columns",
    "place_of",
    "refuse_long_search",
    "subsets_of_columns",
]

# Parameters that files of earlier versions do not have, with what was done then.
ADDED = {
    "tests": "axis",
    "n_test_columns": 3,
    "lookahead": 1,
    "questions": None,
    "n_surrogates": 5,
}

_NONE = OneOf((None,))
_BY_COLUMN = Given((Mapping,), "a mapping from column names")

GROWING: dict[str, Constraint] = {
    "split": OneOf(("binary", "multiway")),
    "missing": OneOf(("learned", "own", "node_mode", "sample_mode", "fractional", "surrogate")),
    "n_surrogates": Whole(0),
    "max_depth": AnyOf((_NONE, Whole(1))),
    "max_leaf_nodes": AnyOf((_NONE, Whole(2))),
    "min_samples_split": Whole(2),
    "min_samples_leaf": Whole(1),
    "min_impurity": Real(0.0),
    "min_gain": Real(0.0),
    "zero_gain": OneOf(("stop", "split")),
    "min_improvement": Real(0.0),
    "test_costs": _BY_COLUMN,
    "subsets": _BY_COLUMN,
    "intervals": _BY_COLUMN,
    "questions": Given((Mapping,), "a mapping from names to sets of categories"),
    "tests": OneOf(("axis", "oblique", "learned")),
    "n_test_columns": Whole(2, 8),
    "lookahead": Whole(1, 6),
    "subset_search": OneOf(("auto", "exact", "flip_flop", "one_vs_rest", "greedy")),
    "rare_categories": OneOf(("own", "share")),
    "correct_for_chance": Flag(),
}

PRUNING: dict[str, Constraint] = {
    "prune": OneOf(("cost_complexity", "reduced_error", "pessimistic", "mdl", None)),
    "choose_by": OneOf(("folds", "validation")),
    "n_folds": Whole(2),
    "rule": RULE,
    "ccp_alpha": AnyOf((_NONE, Real(0.0))),
    "validation_fraction": Real(0.0, 0.9, low_open=True),
    "accept": OneOf(("better", "not_worse", "best")),
    "confidence": Real(0.0, 0.5, low_open=True),
    "mdl_weight": AnyOf((_NONE, Real(0.0, low_open=True))),
}

# Trying every subset of k categories means 2^(k−1) tests.
MOST_CATEGORIES_TRIED = 20


def check_mix(owner: str, settings: TreeSettings) -> None:
    """Refuse parameters that contradict each other."""
    if settings.split == "multiway":
        for name, unused in (("subsets", None), ("subset_search", "auto")):
            if getattr(settings, name) != unused:
                raise _contradiction(
                    owner,
                    f"{name!r} is about subsets of categories, but split='multiway' gives each "
                    "category a branch of its own",
                    "model.set_params(split='binary')",
                )
    elif settings.rare_categories == "share":
        raise _contradiction(
            owner,
            "rare_categories='share' is about multiway tests, but split is 'binary'",
            "model.set_params(split='multiway')",
        )
    _check_tests(owner, settings)
    check_measure(settings)
    if settings.ccp_alpha is not None and settings.prune != "cost_complexity":
        raise _contradiction(
            owner,
            "'ccp_alpha' is the price of a leaf in cost-complexity pruning, but prune is "
            f"{settings.prune!r}",
            "model.set_params(prune='cost_complexity')",
        )
    if settings.mdl_weight is not None and settings.prune != "mdl":
        raise _contradiction(
            owner,
            f"'mdl_weight' belongs to prune='mdl', but prune is {settings.prune!r}",
            "model.set_params(prune='mdl')",
        )
    if settings.zero_gain == "split" and settings.min_gain > 0:
        raise _contradiction(
            owner,
            "zero_gain='split' goes on without any gain, but 'min_gain' asks for one",
            "model.set_params(zero_gain='stop')",
        )


def _check_tests(owner: str, settings: TreeSettings) -> None:
    """Refuse parameters that tests made in nodes do not go with."""
    if settings.missing == "surrogate" and _has_derived_tests(settings):
        raise _contradiction(
            owner,
            "missing='surrogate' finds other columns for tests of single columns, but sums, "
            "centers, look-ahead, questions or named intervals are asked for",
            "model.set_params(missing='learned')",
        )
    if settings.tests == "axis" and settings.lookahead == 1:
        return
    words = f"tests={settings.tests!r}"
    if settings.lookahead > 1:
        words = f"lookahead={settings.lookahead}"
        if settings.tests != "axis":
            raise _contradiction(
                owner,
                f"{words} looks ahead along tests of single columns, but tests is "
                f"{settings.tests!r}",
                "model.set_params(lookahead=1)",
            )
    if settings.missing == "fractional":
        raise _contradiction(
            owner,
            f"{words} sends each row down one branch, but missing='fractional' shares rows",
            "model.set_params(missing='learned')",
        )
    if settings.max_leaf_nodes is not None:
        raise _contradiction(
            owner,
            f"{words} grows level by level, but 'max_leaf_nodes' asks for the best leaf first",
            "model.set_params(max_leaf_nodes=None)",
        )


def _has_derived_tests(settings: TreeSettings) -> bool:
    named = [one for one in (settings.intervals or {}).values() if isinstance(one, Mapping)]
    return bool(settings.tests != "axis" or settings.lookahead > 1 or settings.questions or named)


def _contradiction(owner: str, what: str, repair: str) -> ParameterError:
    return ParameterError(
        f"Two parameters of {owner} contradict each other: {what}.",
        code="P015",
        repair=Repair(repair),
    )


def place_of(
    table: Table, name: Any, parameter: str, given: Mapping[Any, Any], kind: str | None
) -> int:
    """Return the place of a column that a parameter names, as a key of what was given."""
    names = list(table.names)
    place = name if isinstance(name, int) and not table.schema.named else None
    if place is None and name in names:
        place = names.index(name)
    if place is None or not 0 <= place < len(names):
        raise _no_such_column(name, names, parameter, given)
    seen = table.schema.fields[place].type.kind
    if kind is not None and seen != kind:
        raise ParameterError(
            f"{parameter!r} is for columns of kind {kind}, but {names[place]!r} is {seen}.",
            code="P016",
            column=names[place],
        )
    return int(place)


def _no_such_column(
    name: Any, names: list[str], parameter: str, given: Mapping[Any, Any]
) -> ParameterError:
    # A column that has its own entry is not the one that was meant.
    near = nearest_name(name, [other for other in names if other not in given])
    key = str(name) if isinstance(name, str) else name  # NumPy writes its texts as np.str_('…')
    moved = f"model.{parameter}[{near!r}] = model.{parameter}.pop({key!r})"
    return ParameterError(
        f"{parameter!r} names a column that the table does not have. "
        f"{no_such_column_words(name, names, near)}",
        code="P016",
        values=[name],
        repair=Repair(None if near is None else moved),
    )


def cost_of_columns(table: Table, test_costs: Mapping[Any, Any] | None) -> npt.NDArray[np.float64]:
    """Return what testing each column costs; 1 where no cost is given."""
    costs = np.ones(table.n_columns)
    given = test_costs or {}
    for name, cost in given.items():
        place = place_of(table, name, "test_costs", given, None)
        if not Real(0.0, low_open=True).allows(cost):
            raise ParameterError(
                f"The cost of testing {name!r} must be a number above 0. Got {cost!r} instead.",
                code="P016",
                column=table.names[place],
                values=[cost],
            )
        costs[place] = float(cost)
    return costs


def cuts_of_columns(
    table: Table, intervals: Mapping[Any, Any] | None
) -> dict[int, npt.NDArray[np.float64]]:
    """Return the thresholds that the user gave for numeric columns, by the column's place."""
    cuts, given = {}, intervals or {}
    for name, thresholds in given.items():
        place = place_of(table, name, "intervals", given, "numeric")
        try:
            edges = np.asarray(thresholds, dtype=np.float64)
        except (TypeError, ValueError):
            edges = np.array([np.nan])
        if edges.ndim != 1 or edges.size == 0 or not np.isfinite(edges).all():
            raise ParameterError(
                f"The intervals of {name!r} must be a list of finite numbers, the thresholds that "
                f"may be used. Got {thresholds!r} instead.",
                code="P016",
                column=table.names[place],
            )
        cuts[place] = np.unique(edges)
    return cuts


def subsets_of_columns(
    table: Table, subsets: Mapping[Any, Any] | None
) -> dict[int, npt.NDArray[np.uint8]]:
    """Return the given subsets of category columns: a row for each, a byte for each category."""
    members, given = {}, subsets or {}
    for name, lists in given.items():
        place = place_of(table, name, "subsets", given, "category")
        categories = list(table.schema.fields[place].type.categories or ())
        _refuse_odd_subsets(lists, len(categories), table.names[place])
        members[place] = np.array(
            [_members(categories, one, table.names[place]) for one in lists], dtype=np.uint8
        ).reshape(len(lists), len(categories))
    return members


def _refuse_odd_subsets(lists: Any, n_categories: int, column: str) -> None:
    if n_categories > MAX_CATEGORIES:
        raise ParameterError(
            f"{column!r} has {n_categories} categories, of which only the {MAX_CATEGORIES} "
            "commonest are told apart; subsets cannot be given for it.",
            code="P016",
            column=column,
        )
    kinds = (list, tuple, set, frozenset, np.ndarray)
    if isinstance(lists, kinds) and len(lists) and all(isinstance(one, kinds) for one in lists):
        return
    raise ParameterError(
        f"The subsets of {column!r} must be a list of lists of categories. Got {lists!r} instead.",
        code="P016",
        column=column,
        repair=Repair(f"subsets = {{{column!r}: [['a', 'b'], ['c']]}}"),
    )


def _members(categories: list[Any], subset: Any, column: str) -> list[bool]:
    wanted = set(subset)
    unknown = sorted(str(name) for name in wanted - set(categories))
    if unknown or not wanted:
        raise ParameterError(
            f"A subset of {column!r} names categories that the column does not have: "
            f"{', '.join(unknown) or 'it is empty'}.",
            code="P016",
            column=column,
            values=unknown[:5],
        )
    return [category in wanted for category in categories]


def refuse_long_search(table: Table, settings: TreeSettings) -> None:
    """Refuse to try every subset of a column with too many categories."""
    if settings.subset_search != "exact":
        return
    for field in table.schema.fields:
        if len(field.type.categories or ()) <= MOST_CATEGORIES_TRIED:
            continue
        n_categories = table.column(field.name).n_used_categories
        if n_categories > MOST_CATEGORIES_TRIED:
            raise ParameterError(
                f"subset_search='exact' would try 2^{n_categories - 1} - 1 subsets of the "
                f"{n_categories} categories of {field.name!r}; at most {MOST_CATEGORIES_TRIED} "
                "categories can be searched so.",
                code="P019",
                column=field.name,
                repair=Repair("model.set_params(subset_search='auto')"),
            )
