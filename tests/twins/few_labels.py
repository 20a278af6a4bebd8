"""Few-line twins of what learns from unlabeled rows: all labelings, repeated propagation."""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC


def allowed_labelings(problem):
    """Return all allowed labels of the unlabeled rows, a row for each labeling."""
    n_free = len(problem.free)
    signs = 1.0 - 2.0 * (np.arange(2**n_free)[:, None] >> np.arange(n_free) & 1)
    positive = (signs > 0) @ problem.mass
    return signs[(problem.least <= positive) & (positive <= problem.most)]


def best_of_all_labelings(problem):
    """Return the least objective over all allowed labels of the unlabeled rows."""
    some = np.arange(len(problem.free))
    return min(problem.machine(some, labels).primal for labels in allowed_labelings(problem))


def best_by_libsvm(problem):
    """Return the least objective over all allowed labels, and a bound of it, by scikit-learn."""
    rows = np.concatenate([problem.fixed, problem.free])
    gram = problem.gram[np.ix_(rows, rows)]
    costs = np.concatenate([problem.fixed_costs, problem.free_costs])
    machine = SVC(C=1.0, kernel="precomputed", tol=1e-8, max_iter=20_000)  # bounds hold anyway
    least, bound = np.inf, np.inf
    for labels in allowed_labelings(problem):
        y = np.concatenate([problem.labels, labels])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(gram, y, sample_weight=costs)
        beta = np.zeros(len(rows))
        beta[machine.support_] = machine.dual_coef_[0]
        scores = gram @ beta
        half = beta @ scores / 2
        slack = np.maximum(0.0, 1 - y * (scores + (y - scores)[:, None]))  # for each b of a corner
        least = min(least, half + (slack @ costs).min())
        bound = min(bound, np.abs(beta).sum() - half)
    return least, bound


def propagated(weights, mass, known, n_rounds=20_000):
    """Return class shares after many rounds in which rows take the mean of their neighbors."""
    is_labeled = known.any(axis=1)
    shares = known.copy()
    pull = np.asarray(weights) * mass
    for _ in range(n_rounds):
        shares = pull @ shares / pull.sum(axis=1, keepdims=True)
        shares[is_labeled] = known[is_labeled]
    return shares


def spread(weights, mass, known, alpha, n_rounds=2_000):
    """Return what repeated spreading ends in, copy by copy."""
    copies = np.repeat(np.arange(len(mass)), mass.astype(int))
    first = np.concatenate([[True], copies[1:] != copies[:-1]])
    pull = np.asarray(weights)[np.ix_(copies, copies)]
    degrees = pull.sum(axis=1)
    pull = pull / np.sqrt(degrees[:, None] * degrees)
    shares = known[copies]
    for _ in range(n_rounds):
        shares = alpha * pull @ shares + (1 - alpha) * known[copies]
    return shares[first]


def nearest_by_sorting(distances, k):
    """Return the k nearest others of each row, ties by place."""
    square = np.array(distances)
    np.fill_diagonal(square, np.inf)
    return np.argsort(square, axis=1, kind="stable")[:, :k]


def with_limits(problem, least, most):
    """Return a problem of labels with other limits of the positive mass."""
    return replace(problem, least=least, most=most)
