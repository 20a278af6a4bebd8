"""Costs of errors and weights of classes: in growing, pruning and deciding.

- *Class weights* multiply row weights: frequencies and probabilities change with them. They are
  relative: their mean over the rows is 1.
- A *cost matrix* C gives the cost of predicting class j when the truth is i. Growing counts class i
  Σ_j C_ij times in impurities (altered priors, Breiman et al., 1984); pruning adds costs instead of
  errors; a node decides for the class of least expected cost Σ_i p_i C_ij. Probabilities stay as
  they are.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._state import malformed
from branchline._validation import ClassTarget, RowWeights, TrainingData, check_weights
from branchline.errors import ParameterError, Repair

__all__ = [
    "check_costs",
    "class_factors",
    "class_weights",
    "costs_from_state",
    "decide",
    "least_costs",
    "weigh_classes",
]

Matrix = npt.NDArray[np.float64]

# All rows together count fewer units than this power of two, whatever their classes weigh.
_TOTAL_BITS = 51


def check_costs(costs: Any, classes: npt.NDArray[Any]) -> Matrix | None:
    """Return the cost matrix; None when every error costs the same.

    ``costs`` is a square array in the order of the classes (rows are the truth), or a mapping from
    (truth, prediction) to a cost, in which errors that are not named cost 1.
    """
    if costs is None:
        return None
    n_classes = len(classes)
    matrix = _as_matrix(costs, classes)
    if matrix.shape != (n_classes, n_classes):
        raise _bad_costs(f"an array of shape {matrix.shape} does not fit", classes)
    if not np.isfinite(matrix).all() or (matrix < 0).any() or np.diag(matrix).any():
        raise _bad_costs("costs must be finite, at least 0, and 0 for what is right", classes)
    if not matrix.any():
        raise _bad_costs("at least one error must cost something", classes)
    return matrix


def costs_from_state(state: Mapping[str, Any], classes: npt.NDArray[Any]) -> Matrix | None:
    """Return the packed cost matrix, refusing what ``check_costs`` could not have returned."""
    if "costs" not in state:
        return None
    costs = state["costs"]
    if not isinstance(costs, np.ndarray) or costs.dtype != np.float64:
        raise malformed("'costs' is not a matrix of numbers")
    try:
        return check_costs(costs, classes)
    except ParameterError as error:
        raise malformed("'costs' is not a matrix that a fit could have used") from error


def _as_matrix(costs: Any, classes: npt.NDArray[Any]) -> Matrix:
    is_mapping = isinstance(costs, Mapping)
    if is_mapping:
        _refuse_unknown_pairs(costs, classes)
    try:
        return _from_pairs(costs, classes) if is_mapping else np.array(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise _bad_costs(f"costs must be numbers ({error})", classes) from error


def _refuse_unknown_pairs(costs: Mapping[Any, Any], classes: npt.NDArray[Any]) -> None:
    known = set(classes.tolist())
    for pair in costs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and set(pair) <= known):
            raise _bad_costs(f"{pair!r} is not a pair (truth, prediction) of classes", classes)


def _from_pairs(costs: Mapping[Any, Any], classes: npt.NDArray[Any]) -> Matrix:
    matrix = 1.0 - np.eye(len(classes))
    place_of = {name: place for place, name in enumerate(classes.tolist())}
    for (truth, prediction), cost in costs.items():
        matrix[place_of[truth], place_of[prediction]] = float(cost)
    return matrix


def _bad_costs(what: str, classes: npt.NDArray[Any]) -> ParameterError:
    n_classes = len(classes)
    shown = ", ".join(str(name) for name in classes[:8].tolist())
    return ParameterError(
        f"The 'costs' parameter must be a {n_classes} × {n_classes} array (rows: the truth, "
        f"columns: the prediction, in the order {shown}) or a mapping from (truth, prediction) to "
        f"a cost: {what}.",
        code="P017",
        repair=Repair(f"costs = {(1 - np.eye(min(n_classes, 4), dtype=int)).tolist()!r}"),
    )


def class_factors(costs: Matrix | None) -> Matrix | None:
    """Return how many times each class counts in impurities, 1 on average."""
    if costs is None:
        return None
    total = costs.sum(axis=1)
    # A class that costs nothing would vanish from the tree: let it count a little.
    total = np.maximum(total, 1e-6 * total.max())
    factors: Matrix = total / total.mean()
    return factors


def decide(frequencies: Matrix, costs: Matrix | None) -> npt.NDArray[np.int64]:
    """Return the class of least expected cost of each node; the first of equal ones."""
    if costs is None:
        most: npt.NDArray[np.int64] = np.argmax(frequencies, axis=1)
        return most
    expected = frequencies @ costs
    # Equal to rounding is equal: the order of classes decides, not the last bit.
    slack = 1e-12 * costs.max()
    is_least = expected <= expected.min(axis=1, keepdims=True) + slack
    least: npt.NDArray[np.int64] = np.argmax(is_least, axis=1)
    return least


def least_costs(weight_of_class: Matrix, costs: Matrix | None) -> Matrix:
    """Return what the best decision of each node costs, summed over its rows."""
    if costs is None:
        errors: Matrix = weight_of_class.sum(axis=1) - weight_of_class.max(axis=1)
        return errors
    least: Matrix = (weight_of_class @ costs).min(axis=1)
    return least


def weigh_classes(data: TrainingData, class_weight: Any) -> TrainingData:
    """Multiply the rows' weights by those of their classes.

    Whole weights of classes and rows are copies. Others are relative: of rows, as a rule, or of
    copies of rows where rows have whole weights; so weight k stays the same as k rows.
    """
    if class_weight is None:
        return data
    target = data.class_target
    weight_of_class = class_weights(target, data, class_weight)
    keep = weight_of_class[target.class_of_row] > 0
    if data.weights.unit != 1.0 or _are_copies(weight_of_class):
        weight = data.weights.of_rows(data.table.n_rows) * weight_of_class[target.class_of_row]
        return _kept(data, keep, check_weights(weight, data.table.n_rows).weights)
    return _kept(data, keep, _relative_weights(data.weights.units, target, weight_of_class))


def _are_copies(weight_of_class: Matrix) -> bool:
    return (
        bool((weight_of_class == np.rint(weight_of_class)).all()) and weight_of_class.max() < 2**20
    )


def _relative_weights(
    copies: npt.NDArray[np.int64] | None, target: ClassTarget, weight_of_class: Matrix
) -> RowWeights:
    """Return weights of which one copy has 1 on average; k copies weigh exactly k times as much."""
    count = np.bincount(target.class_of_row, copies, minlength=target.n_classes)
    counts = weight_of_class > 0
    relative = weight_of_class / weight_of_class.max()  # so that no sum overflows
    relative = relative / (math.fsum(count * relative) / count[counts].sum())
    bits = _TOTAL_BITS - math.ceil(math.log2(count[counts].sum()))
    units = np.maximum(1, np.rint(np.ldexp(relative, bits))).astype(UNITS)
    if (units[counts] == 2**bits).all():
        units, bits = np.ones_like(units), 0
    kept = counts[target.class_of_row]
    of_copy = units[target.class_of_row[kept]]
    if copies is None:
        return RowWeights(None if bits == 0 else of_copy, math.ldexp(1.0, -bits))
    return RowWeights(copies[kept] * of_copy, math.ldexp(1.0, -bits), copies[kept])


def _kept(data: TrainingData, keep: npt.NDArray[np.bool_], weights: RowWeights) -> TrainingData:
    """Return the rows to keep, with their weights."""
    if keep.all():
        return TrainingData(data.table, data.target, weights)
    target = data.class_target
    kept = ClassTarget(target.classes, target.class_of_row[keep])
    return TrainingData(data.table.rows(keep), kept, weights)


def class_weights(target: ClassTarget, data: TrainingData, class_weight: Any) -> Matrix:
    """Return the weight of each class."""
    if class_weight == "balanced":
        weight = data.weights.of_rows(data.table.n_rows)
        count = np.bincount(target.class_of_row, weight, minlength=target.n_classes)
        balanced: Matrix = weight.sum() / (target.n_classes * count)
        return balanced
    names = target.classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    try:
        values = np.array([class_weight.get(name, 1.0) for name in names], dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise ParameterError(
            "The 'class_weight' parameter must give each class a finite number of at least 0, and "
            f"not 0 to all. Got {class_weight!r} instead.",
            code="P018",
            repair=Repair("model.set_params(class_weight='balanced')"),
        )
    if unknown:
        raise ParameterError(
            f"The 'class_weight' parameter names {unknown[0]!r}, but the classes are: "
            f"{', '.join(map(str, names[:20]))}.",
            code="P018",
            values=unknown[:5],
        )
    return values
