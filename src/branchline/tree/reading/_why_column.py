"""Every test of one column in one node, with its gain: a page of a textbook.

Numbers: all midpoints between neighboring values. Categories: every subset up to six categories;
beyond that the cuts of categories in order of their mean response (share of the last class). Rows
with a missing value are left out here; the tree itself treats them as ``missing`` prescribes.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from branchline._names import nearest_name, no_such_column_words
from branchline._trees._tree_arrays import TreeArrays
from branchline.errors import ParameterError, Repair
from branchline.table import Column
from branchline.tree.reading._labels import join_names, threshold_words
from branchline.tree.reading._why import Memory, Reason

__all__ = ["list_cuts", "rows_of_node"]

Floats = npt.NDArray[np.float64]
Masks = Iterator[tuple[str, npt.NDArray[np.bool_]]]

_FEW_CATEGORIES = 6
_ROUNDING = 1e-9  # weights of rows are summed in another order than in the tree


def list_cuts(
    column: Column,
    response: Floats,
    weight: Floats,
    impurity: Callable[[Floats], float],
    least: float = 0.0,
) -> list[Reason]:
    """Return all binary tests of a column, in order of thresholds or of subsets.

    Of those that leave enough rows on both sides, the one of largest gain is marked.

    Parameters
    ----------
    column
        The column, rows of the node only.
    response
        A row of numbers for each row, summed by ``impurity``'s argument: class indicators, or the
        target and its square.
    weight
        The part of each row that is in the node.
    impurity
        The impurity of the rows whose weighted sums of ``response`` are given.
    least
        The least weight of a leaf (``min_samples_leaf``).
    """
    amounts = response * weight[:, None]
    known = np.flatnonzero(_is_known(column))
    total = amounts[known].sum(axis=0)
    before, all_weight = impurity(total), weight[known].sum()
    reasons, is_allowed = [], []
    for words, goes_left in _tests(column, amounts, weight):
        left = amounts[known][goes_left].sum(axis=0)
        share = weight[known][goes_left].sum() / all_weight
        after = share * impurity(left) + (1 - share) * impurity(total - left)
        information = -sum(p * np.log2(p) for p in (share, 1 - share) if p > 0)
        gain = before - after
        ratio = gain / information if information > 0 else 0.0
        reasons.append(Reason(column.name, words, gain, ratio, gain, None, 2))
        is_allowed.append(min(share, 1 - share) * all_weight >= least * (1 - _ROUNDING))
    return _marked(reasons, is_allowed)


def _marked(reasons: list[Reason], is_allowed: list[bool]) -> list[Reason]:
    if not any(is_allowed):
        return reasons
    gains = [reason.gain for reason in reasons]
    best = int(np.argmax(np.where(is_allowed, gains, -np.inf)))
    reasons[best] = Reason(**{**vars(reasons[best]), "chosen": True})
    return reasons


def _is_known(column: Column) -> npt.NDArray[np.bool_]:
    if column.kind == "numeric":
        present: npt.NDArray[np.bool_] = ~np.isnan(column.numbers())
        return present
    return column.values >= 0


def _tests(column: Column, amounts: Floats, weight: Floats) -> Masks:
    """Yield each test in words, and which of the rows with a value it sends left."""
    known = _is_known(column)
    if column.kind == "numeric":
        values = column.numbers()[known]
        distinct = np.unique(values)
        for low, high in zip(distinct[:-1].tolist(), distinct[1:].tolist(), strict=True):
            middle = low / 2 + high / 2
            threshold = middle if low <= middle < high else low
            words = f"{column.name} ≤ {threshold_words(column.type, threshold)}"
            yield words, values <= threshold
        return
    codes = column.values[known]
    for subset in _subsets(codes, amounts[known], weight[known]):
        names = [str(column.categories[code]) for code in sorted(subset)]
        yield f"{column.name} in ({join_names(names)})", np.isin(codes, subset)


def _subsets(codes: npt.NDArray[Any], amounts: Floats, weight: Floats) -> list[list[int]]:
    present = np.unique(codes).tolist()
    mean = {
        code: amounts[codes == code, -1].sum() / weight[codes == code].sum() for code in present
    }
    order = sorted(present, key=lambda code: (mean[code], code))
    if len(order) > _FEW_CATEGORIES:
        return [order[:n] for n in range(1, len(order))]
    # The last category always goes right: a subset and its complement are one test.
    found = [
        [code for place, code in enumerate(order[:-1]) if bits >> place & 1]
        for bits in range(1, 2 ** (len(order) - 1))
    ]
    return sorted(found, key=len)


def rows_of_node(
    memory: Memory, tree: TreeArrays, node: int, column: str, criterion: str
) -> tuple[Column, Floats, Floats, Callable[[Floats], float]]:
    """Return what ``list_cuts`` asks for: a column, the response and the weight in a node."""
    growth, table = memory.growth, memory.growth.data.table
    if column not in table.names:
        near = nearest_name(column, table.names)
        raise ParameterError(
            no_such_column_words(column, table.names, near),
            code="P016",
            values=[column],
            repair=Repair(None if near is None else f"model.why({node}, column={near!r})"),
        )
    share = memory.shares(tree, node)
    rows = np.flatnonzero(share > 0)
    weight = (growth.data.weights.of_rows(growth.n_rows) * share)[rows]
    here = table.rows(rows).column(column)
    if criterion == "absolute_error":
        raise ParameterError(
            f"why({node}, column={column!r}) lists tests from sums of rows, from which medians do "
            "not follow.",
            code="P611",
            repair=Repair(f"model.why({node})"),
        )
    if growth.numbers is not None:
        values = growth.data.number_target.matrix[rows]
        squares = (values**2 if criterion != "poisson" else xlogy(values, values)).sum(axis=1)
        response = np.column_stack([np.ones(len(rows)), squares, values])
        return here, response, weight, _deviance if criterion == "poisson" else _variance
    indicators = np.eye(growth.n_classes)[growth.data.class_target.class_of_row[rows]]
    return here, indicators, weight, _IMPURITIES[criterion]


def _variance(sums: Floats) -> float:
    weight, squares, totals = sums[0], sums[1], sums[2:]
    return float(squares / weight - ((totals / weight) ** 2).sum()) if weight > 0 else 0.0


def _deviance(sums: Floats) -> float:
    weight, logs, totals = sums[0], sums[1], sums[2:]
    if weight <= 0:
        return 0.0
    return float((logs - xlogy(totals, totals / weight).sum()) / weight)


def _entropy(count: Floats) -> float:
    p = count[count > 0] / count.sum()
    return float(-(p * np.log2(p)).sum())


def _gini(count: Floats) -> float:
    total = count.sum()
    return float(1 - ((count / total) ** 2).sum()) if total > 0 else 0.0


def _error(count: Floats) -> float:
    total = count.sum()
    return float(1 - count.max() / total) if total > 0 else 0.0


_IMPURITIES: dict[str, Callable[[Floats], float]] = {
    "gini": _gini,
    "entropy": _entropy,
    "gain_ratio": _entropy,
    "mdl": _entropy,
    "misclassification": _error,
}
