"""Cross-validation of outputs with a kernel: every row is predicted by a model without it."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats, Places
from branchline._folds import Fold, fold_rows, seed_of_repeat
from branchline._validation import (
    NumberTarget,
    TrainingData,
    Whole,
    check_parameters,
    check_training_inputs,
)
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.outputs._given_outputs import rows_or_texts
from branchline.outputs._kernel_output_scores import KernelOutputScores, Tested, scores_of_tested
from branchline.outputs._kernel_outputs import KernelOutputs
from branchline.outputs._output_space import OutputSpace, read_output_space

__all__ = ["cross_validate_kernel_outputs"]


def cross_validate_kernel_outputs(
    model: Any, X: Any, y: Any, *, n_folds: int = 10, random_state: Any = 0
) -> KernelOutputScores:
    """Assess a model of outputs with a kernel by cross-validation.

    Each fold is predicted by a copy of the model that was fitted on the other folds. Distances of
    all folds are taken in one space: that of the kernel fitted to all outputs. Groups and times of
    the table are respected.

    Parameters
    ----------
    model
        A model such as ``OutputKernelTree``; it is copied, not changed.
    X, y
        The table, and the outputs (or their Gram matrix, where the kernel is "precomputed").
    n_folds
        Number of folds, at least 2. Default 10.
    random_state
        The seed for splitting rows into folds. Default 0.

    See Also
    --------
    KernelOutputScores : how well outputs with a kernel are predicted, with 95 % intervals.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import OutputKernelTree, cross_validate_kernel_outputs
    >>> X, y = load_dataset("titanic").split_target(["survived", "sex"])
    >>> scores = cross_validate_kernel_outputs(OutputKernelTree(), X, y, n_folds=3)
    >>> scores.n_rows
    1309
    """
    check_parameters("cross_validate_kernel_outputs", {"n_folds": n_folds}, {"n_folds": Whole(2)})
    if not isinstance(model, KernelOutputs):
        raise ParameterError(
            "cross_validate_kernel_outputs takes a model of outputs with a kernel; "
            f"{type(model).__name__} is not one.",
            code="P882",
            values=[type(model).__name__],
            repair=Repair(
                "from branchline.outputs import OutputKernelTree\nmodel = OutputKernelTree()"
            ),
        )
    data = check_training_inputs(rows_or_texts(X), None)
    owner, n_rows = type(model).__name__, data.table.n_rows
    space, of_row = read_output_space(y, n_rows, None, model.output_kernel, owner)
    target = NumberTarget(of_row.astype(np.float64)[:, None])
    known = fold_rows(TrainingData(data.table, target, data.weights))
    folds = known.split(n_folds, seed_of_repeat(random_state))
    parts = [_tested(model, data, (space, of_row), fold) for fold in folds]
    order = np.argsort(np.concatenate([fold.test_rows for fold in folds]), kind="stable")
    n_train = float(np.mean([len(fold.learn_rows) for fold in folds]))
    return scores_of_tested(Tested.together(parts).rows(order), n_train)


def _tested(
    model: KernelOutputs, data: TrainingData, outputs: tuple[OutputSpace, Places], fold: Fold
) -> Tested:
    """Return the rows of one fold, predicted by a copy of the model fitted on the others."""
    space, of_row = outputs
    learn, test = of_row[fold.learn_rows], of_row[fold.test_rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        fitted = clone(model).fit(data.table.rows(fold.learn_rows), _outputs_of(space, learn))
    weights = np.zeros((len(test), len(space)))
    weights[:, _places_in(space, fitted, learn)] = fitted._weights_of(
        data.table.rows(fold.test_rows)
    )
    mean = np.zeros(len(space))
    mean[_places_in(space, fitted, learn)] = fitted._mean
    products, squares = space.gram[test], np.diag(space.gram)[test]
    known = np.unique(learn)
    nearest = known[_nearest_of(space, known, weights)]
    return Tested(
        space.distances(weights, products, squares),
        space.distances(np.broadcast_to(mean, weights.shape), products, squares),
        nearest == test,
    )


def _outputs_of(space: OutputSpace, places: Places) -> Any:
    """Return the outputs of some rows, or their Gram matrix."""
    if space.given is None:
        return space.candidates.rows(places)
    return space.given[np.ix_(places, places)]


def _places_in(space: OutputSpace, fitted: KernelOutputs, learn: Places) -> Places:
    """Return the place in ``space`` of each output that a model knows."""
    if space.given is None:
        return space.places_of(fitted.candidates_)
    return learn[fitted.candidates_.columns[0].values.astype(np.intp)]


def _nearest_of(space: OutputSpace, known: Places, weights: Floats) -> Places:
    """Return which of the outputs known in training is the nearest."""
    part = OutputSpace(space.candidates.rows(known), space.kernel, space.gram[np.ix_(known, known)])
    return part.nearest(weights[:, known])
