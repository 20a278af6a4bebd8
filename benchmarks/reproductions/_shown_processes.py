"""Gaussian processes: intervals that cover, the likelihood and the time of scikit-learn."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1

from benchmarks.reproductions._folds import DataAbsentError
from benchmarks.reproductions._shown import Shown
from benchmarks.reproductions._tree_sets import load
from benchmarks.workloads.gaussian_process import ours, theirs
from branchline import Table
from branchline.svm import GaussianProcessRegressor

__all__ = ["PARTS"]

_SHARES = (0.8, 0.9, 0.95)
_REAL = ("auto-mpg", "concrete", "abalone", "penguins-mass", "wine-alcohol", "pima-mass",
         "california", "bike-day")  # fmt: skip
_N_TRAINING, _N_NEW = 300, 400

_Drawn = tuple[Table, Any]


def _friedman(noise: Callable[[Any, Any], Any]) -> Callable[[Any, int], _Drawn]:
    def draw(draws: Any, n_rows: int) -> _Drawn:
        X, y = make_friedman1(n_rows, 8, noise=0.0, random_state=int(draws.integers(2**31)))
        return Table(X), y + noise(draws, X)

    return draw


def _steps(draws: Any, n_rows: int) -> _Drawn:
    X = draws.uniform(size=(n_rows, 4))
    return Table(X), np.where(X[:, 0] > 0.5, 4.0, 0.0) + X[:, 1] + 0.3 * draws.normal(size=n_rows)


_SIMULATED: dict[str, Callable[[Any, int], _Drawn]] = {
    "normal noise": _friedman(lambda draws, X: draws.normal(size=len(X))),
    "heavy tails": _friedman(lambda draws, X: draws.standard_t(3, len(X))),
    "noise that grows": _friedman(lambda draws, X: (0.2 + 2 * X[:, 0]) * draws.normal(size=len(X))),
    "steps": _steps,
}


def coverage(n_draws: int) -> list[Shown]:
    """Shares of new rows in 80, 90 and 95 % intervals: real tables, simulated ones, sparse ones."""
    n_draws, lines = max(2, n_draws // 2), []
    for name in _REAL:
        try:
            problem = load(name)
        except DataAbsentError:
            continue
        known = np.isfinite(problem.y)
        X, y = problem.X.rows(np.flatnonzero(known)), problem.y[known]
        found = [_of_split(X, y, seed) for seed in range(n_draws)]
        lines.append(_line(name, found))
    for name, draw in _SIMULATED.items():
        for n_inducing in ("auto", 60):
            found = [_of_draw(draw, seed, n_inducing) for seed in range(n_draws)]
            lines.append(_line(f"{name}, {'exact' if n_inducing == 'auto' else 'sparse'}", found))
    return lines


def _of_split(X: Table, y: Any, seed: int) -> Any:
    order = np.random.default_rng(seed).permutation(len(y))
    n_training = min(_N_TRAINING, 2 * len(y) // 3)
    some, new = order[:n_training], order[n_training : n_training + _N_NEW]
    return _held((X.rows(some), y[some]), (X.rows(new), y[new]), "auto")


def _of_draw(draw: Callable[[Any, int], _Drawn], seed: int, n_inducing: Any) -> Any:
    draws = np.random.default_rng(seed)
    return _held(draw(draws, _N_TRAINING), draw(draws, _N_NEW), n_inducing)


def _held(given: _Drawn, new: _Drawn, n_inducing: Any) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GaussianProcessRegressor(n_inducing=n_inducing, n_jobs=1).fit(*given)
        bounds = [model.predict_interval(new[0], share).T for share in _SHARES]
    return [float(np.mean((low <= new[1]) & (new[1] <= high))) for low, high in bounds]


def _line(name: str, found: list[Any]) -> Shown:
    means = np.mean(found, axis=0)
    near = np.abs(means - _SHARES) <= 0.03
    words = ", ".join(f"{share:.3f}" for share in means)
    return Shown(f"coverage, {name}, {len(found)} draws", "0.8, 0.9, 0.95 ± 0.03", words,
                 bool(near.all()))  # fmt: skip


def beside(_: int) -> list[Shown]:
    """Likelihood and CPU time on Friedman's function, 500 and 1,000 rows, beside scikit-learn."""
    lines = []
    for n_rows in (500, 1000):
        X, y = make_friedman1(n_rows, 10, noise=1.0, random_state=0)
        timed = [_timed(call) for call in (ours(X, y, 1), theirs(X, y))]
        likelihoods = [timed[0][0].log_marginal_likelihood_,
                       timed[1][0][-1].log_marginal_likelihood_value_]  # fmt: skip
        ratio = timed[1][1] / timed[0][1]
        lines.append(Shown(f"Friedman {n_rows} × 10, likelihood, scikit-learn's",
                           "at least as high", "{:.3f}, {:.3f}".format(*likelihoods),
                           bool(likelihoods[0] >= likelihoods[1] - 1e-3)))  # fmt: skip
        lines.append(Shown("their CPU time over ours", "≥ 5", f"{ratio:.1f}", ratio >= 5))
    return lines


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    found = call()
    return found, time.process_time() - began


PARTS = {"coverage": coverage, "process": beside}
