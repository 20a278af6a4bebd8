"""Logistic regression on a large table, by passes over its blocks of rows.

1. C is chosen on up to 20,000 rows, drawn by a hash of their content; their solution is where the
   search on all rows begins (unless a class has few rows there). With C given, the search on a
   table of up to a million rows begins at the frequencies of classes: rows are not drawn.
2. Newton's method: each pass gives loss, slope and curvature at a point (``_block_losses``); a step
   that does not make the loss smaller by a part of what the slope promises is halved.
3. With an L1 penalty, the step is the least point of the quadratic function that slope and
   curvature describe, plus the penalty, found term by term (coordinate descent).
4. Without a penalty, steps are taken in the directions in which terms vary: copies of a term share
   its weight. Steps that do not get shorter while the slope vanishes show that classes are
   separated.
5. Many unknowns: L-BFGS, whose passes need no curvature.

All sums are exact, so that the weights depend neither on the order of rows nor on blocks.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from branchline._arrays import Bools, Floats, Places
from branchline._canonical_rows import canonical_rows
from branchline._class_weight import weigh_rows
from branchline._encoding._encoded import EncodedRows
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._exact_sum import exact_sum
from branchline._folds import fold_rows
from branchline._one_thread import one_thread
from branchline._row_keys import scramble
from branchline.linear._block_losses import BlockLosses, LossSums
from branchline.linear._block_products import centered_products
from branchline.linear._logistic_solver import (
    SoftmaxProblem,
    Solution,
    choose_solver,
    solve,
)
from branchline.table import Table

__all__ = ["drawn_problem", "needs_start", "solve_in_blocks", "varying_directions"]

_MOST_DRAWN = 20_000
# A pass over more rows takes longer than to find out where to begin.
_QUICK_ROWS = 2**20
# Where the slope is as small as this, the curvature may be the last one: it is found more exactly.
_NEARLY = 1e-5
# A class with fewer rows among those drawn has no weights to begin with.
_FEWEST_OF_CLASS = 10
_CLOSE, _NEWTON_CLOSE = 1e-9, 1e-11  # Newton's last step leaves far less than is asked
_MOST_HALVINGS = 30
_PROMISED = 1e-4
_ROUNDING = 1e-14
_LEAST_CURVATURE = 1e-12
_LEAST_SPREAD = 1e-10
_MOST_SWEEPS = 2_000
_NO_PART = 1e-12
# Without a penalty: scores that would change by less stand still; where they do not while the slope
# vanishes, for this number of steps, weights grow for ever.
_STANDS_STILL, _MOST_ENDLESS = 1e-3, 6
# Log-odds of which probabilities are 0 or 1 but for rounding.
_CERTAIN = 30.0


def needs_start(problem: SoftmaxProblem, solver: str) -> bool:
    """Whether the search on all rows begins at the solution of rows that are drawn."""
    has_newton = solver == "newton-cholesky" and problem.l1_share == 0
    return not has_newton or problem.shape[0] > _QUICK_ROWS


def drawn_problem(problem: SoftmaxProblem, rows: EncodedRows, class_weight: Any) -> SoftmaxProblem:
    """Return the problem of some rows of a large table, which fit into memory."""
    drawn = _drawn(problem, rows.data.table, rows.data.weights.units)
    data = canonical_rows(rows.data.rows(drawn), merge=True)
    target, weights = data.class_target, data.weights.of_rows(data.table.n_rows)
    return replace(
        problem,
        matrix=rows.encoding.encode(data.table),
        class_of_row=target.class_of_row,
        weights=weigh_rows(weights, target, class_weight),
        folds=fold_rows(data),
    )


def _drawn(problem: SoftmaxProblem, table: Table, units: npt.NDArray[np.int64] | None) -> Places:
    """Return every so many-th row in the order of a hash: equal rows are drawn by their number."""
    keys = problem.matrix.row_keys()
    for first in range(0, len(keys), 2**16):
        some = slice(first, first + 2**16)
        truth = scramble(problem.class_of_row[some].astype(np.uint64))
        keys[some] = scramble(keys[some] ^ truth)
    for marks in (table.groups, table.times):
        if marks is not None:  # equal rows of other groups or times are other rows
            rank = np.unique(marks, return_inverse=True)[1].reshape(-1)
            keys = scramble(keys ^ scramble(rank.astype(np.uint64)))
    order = np.argsort(keys) if units is None else np.lexsort((units, keys))
    return np.sort(order[:: -(-len(keys) // _MOST_DRAWN)])


@one_thread
def solve_in_blocks(problem: SoftmaxProblem, solver: str, drawn: SoftmaxProblem | None) -> Solution:
    """Return the solution on all rows; the search begins at that of the rows ``drawn``."""
    losses = BlockLosses(problem.matrix, problem.class_of_row, problem.weights, problem.n_classes)
    if drawn is None:
        start = _frequencies(problem, losses)
    else:
        start = _start(losses, replace(drawn, strength=problem.strength))
    find = _by_gradients if solver == "lbfgs" else _by_newton
    point, sums, n_iter, is_apart = find(problem, losses, start)
    is_penalized = problem.l1_share == 0 and np.isfinite(problem.strength)
    if is_penalized and sums.curvature is not None and sums.digits < 2:
        sums = losses.at(point, digits=2)  # for standard errors
    weights, bias = np.ascontiguousarray(point[:, 1:]), point[:, 0].copy()
    if problem.n_classes > 2:
        bias -= bias.mean()
        weights = weights - (weights.mean(axis=0) if problem.l1_share == 0 else 0.0)
    left = _left(problem, losses, point, sums) / (losses.total * np.maximum(losses.sizes, 1.0))
    return Solution(weights, bias, n_iter, float(left.max()), sums.curvature, is_apart)


def _frequencies(problem: SoftmaxProblem, losses: BlockLosses) -> Floats:
    """Return constants that give every row the frequencies of the classes."""
    classes = problem.class_of_row
    total = [exact_sum(problem.weights[classes == k]) for k in range(losses.n_classes)]
    log_share = np.log(np.array(total) / losses.total)
    start = np.zeros(losses.shape)
    start[:, 0] = log_share[1] - log_share[0] if len(start) == 1 else log_share - log_share.mean()
    return start


def _start(losses: BlockLosses, drawn: SoftmaxProblem) -> Floats:
    """Return the solution of the rows drawn; the frequencies of classes where they are too few."""
    start = np.zeros(losses.shape)
    count = np.bincount(drawn.class_of_row, minlength=losses.n_classes)
    if count.min() >= _FEWEST_OF_CLASS and np.isfinite(drawn.strength):
        found = solve(drawn, choose_solver(drawn)[0])
        start[:, 0], start[:, 1:] = found.bias, found.weights
    return start


def _prices(problem: SoftmaxProblem, losses: BlockLosses) -> tuple[Floats, Floats]:
    """Return what the square and the size of each unknown cost: nothing for constants."""
    price = np.full(losses.shape, 0.0 if np.isinf(problem.strength) else 1.0 / problem.strength)
    price[:, 0] = 0.0
    return price * (1 - problem.l1_share), price * problem.l1_share


def _left(problem: SoftmaxProblem, losses: BlockLosses, point: Floats, sums: LossSums) -> Floats:
    """Return the size of each entry of the gradient, for L1 of its least subgradient."""
    ridge, corner = _prices(problem, losses)
    slope = sums.slope + ridge * point
    at_zero = np.maximum(np.abs(slope) - corner, 0.0)
    return np.where(point == 0, at_zero, np.abs(slope + corner * np.sign(point)))


def _minimized(ridge: Floats, corner: Floats, point: Floats, sums: LossSums) -> float:
    return sums.loss + float((0.5 * ridge * point**2 + corner * np.abs(point)).sum())


# -- Newton's method ------------------------------------------------------------------------------


def _by_newton(
    problem: SoftmaxProblem, losses: BlockLosses, start: Floats
) -> tuple[Floats, LossSums, int, bool]:
    ridge, corner = _prices(problem, losses)
    directions, digits, n_endless = None, 1, 0
    if np.isinf(problem.strength):  # then directions in which terms hardly vary count, too
        directions, digits = varying_directions(problem.matrix, problem.weights)[0], 2
    point, here = start, losses.at(start, digits=digits)
    for step in range(problem.max_iter):
        left = float(_left(problem, losses, point, here).max())
        is_flat = left <= _NEWTON_CLOSE * losses.total
        if is_flat and directions is None:
            return point, here, step, False
        if problem.l1_share > 0:
            aim = _least_of_quadratic(losses, point, here, ridge, corner)
        else:
            aim = point - _newton_step(losses, here, ridge, point, directions)
        if directions is not None:
            reach = float((np.abs(aim - point) * losses.sizes).max())
            n_endless += is_flat and reach > _STANDS_STILL
            if here.nearest > 0 or n_endless == _MOST_ENDLESS:
                return point, here, step, True
            if is_flat and reach <= _STANDS_STILL:
                return point, here, step, False
        is_near = left <= _NEARLY * losses.total and problem.l1_share == 0
        finer = 2 if is_near else digits
        moved = _moved(losses, (ridge, corner), (point, here), aim, finer)
        if moved is None:
            return point, here, step + 1, n_endless > 0
        point, here = moved
    return point, here, problem.max_iter, n_endless > 0


def _moved(
    losses: BlockLosses,
    prices: tuple[Floats, Floats],
    begin: tuple[Floats, LossSums],
    aim: Floats,
    digits: int,
) -> tuple[Floats, LossSums] | None:
    """Return where a step leads, halved while it is too long; None where none is short enough."""
    (ridge, corner), (point, here) = prices, begin
    before = _minimized(ridge, corner, point, here)
    slope = (here.slope + ridge * point) * (aim - point)
    promised = float((slope + corner * (np.abs(aim) - np.abs(point))).sum())
    size = 1.0
    for _ in range(_MOST_HALVINGS):
        there = aim if size == 1.0 else point + size * (aim - point)
        found = losses.at(there, digits=digits)
        after = _minimized(ridge, corner, there, found)
        if after <= before + _PROMISED * size * promised + _ROUNDING * abs(before):
            return there, found
        size /= 2.0
    return None


def _newton_step(
    losses: BlockLosses,
    here: LossSums,
    ridge: Floats,
    point: Floats,
    directions: Floats | None,
) -> Floats:
    assert here.curvature is not None
    n_sums, width = losses.shape
    curved = here.curvature.copy()
    if n_sums > 1:  # constants that all grow alike change nothing
        constants = np.arange(n_sums) * width
        curved[np.ix_(constants, constants)] += losses.total
    slope = (here.slope + ridge * point).ravel()
    if directions is None:
        curved[np.diag_indices(len(curved))] += ridge.ravel() + _LEAST_CURVATURE * losses.total
        return np.asarray(np.linalg.solve(curved, slope), dtype=np.float64).reshape(losses.shape)
    turned = np.kron(np.eye(n_sums), directions)
    inner = turned.T @ curved @ turned
    # Weights of all classes that grow alike change nothing, either: the shortest step is taken.
    step = np.linalg.lstsq(inner, turned.T @ slope, rcond=1e-13)[0]
    return np.asarray(turned @ step).reshape(losses.shape)


@one_thread
def varying_directions(blocks: EncodedBlocks, weights: Floats) -> tuple[Floats, Bools]:
    """Return the constant and the directions in which terms vary, and which terms have no weight.

    Directions are columns, of variance 1. A term that others can stand for has no weight of its
    own.
    """
    n_terms = blocks.shape[1]
    sums = centered_products(blocks, weights, np.zeros((blocks.shape[0], 0)))
    triangle, _ = sums.triangle()
    norms = np.sqrt((triangle**2).sum(axis=0))
    norms[norms == 0] = 1.0
    _, spread, directions = np.linalg.svd(triangle / norms, full_matrices=False)
    kept = spread > spread.max(initial=0.0) * _LEAST_SPREAD * max(1, n_terms) ** 0.5
    turned = directions[kept].T / spread[kept] / norms[:, None] * np.sqrt(float(weights.sum()))
    whole = np.zeros((n_terms + 1, turned.shape[1] + 1))
    whole[0, 0], whole[1:, 1:] = 1.0, turned
    whole[0, 1:] = -sums.mean @ turned
    return whole, 1.0 - (directions[kept] ** 2).sum(axis=0) > _NO_PART


# -- an L1 penalty --------------------------------------------------------------------------------


def _least_of_quadratic(
    losses: BlockLosses, point: Floats, here: LossSums, ridge: Floats, corner: Floats
) -> Floats:
    """Return the least point of the losses' quadratic function plus the penalty."""
    assert here.curvature is not None
    curved, x = here.curvature, point.ravel().copy()
    slope = here.slope.ravel().copy()
    own = np.diag(curved) + ridge.ravel()
    steep = np.where(own > 0, own, 1.0).tolist()
    ridges, corners = ridge.ravel().tolist(), corner.ravel().tolist()
    close = 1e-3 * _CLOSE * losses.total
    for _ in range(_MOST_SWEEPS):
        farthest = 0.0
        for at in range(len(x)):
            old = float(x[at])
            aim = old - (float(slope[at]) + ridges[at] * old) / steep[at]
            new = np.sign(aim) * max(abs(aim) - corners[at] / steep[at], 0.0)
            if new != old:
                slope += (new - old) * curved[at]
                x[at] = new
                farthest = max(farthest, abs(new - old) * steep[at])
        if farthest <= close:
            break
    return x.reshape(point.shape)


# -- many unknowns --------------------------------------------------------------------------------


def _by_gradients(
    problem: SoftmaxProblem, losses: BlockLosses, start: Floats
) -> tuple[Floats, LossSums, int, bool]:
    ridge, corner = _prices(problem, losses)

    def value_and_slope(flat: Floats) -> tuple[float, Floats]:
        point = flat.reshape(losses.shape)
        sums = losses.at(point, digits=0)
        slope = sums.slope + ridge * point
        return (
            _minimized(ridge, corner, point, sums) / losses.total,
            slope.ravel() / losses.total,
        )

    options = {"maxiter": problem.max_iter, "gtol": _CLOSE, "ftol": 0.0, "maxcor": 30}
    found = minimize(value_and_slope, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    point = np.asarray(found.x, dtype=np.float64).reshape(losses.shape)
    sums = losses.at(point, digits=0)
    is_apart = sums.nearest > 0 or sums.farthest > _CERTAIN
    return point, sums, int(found.nit), is_apart
