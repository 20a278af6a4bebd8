"""The worked examples of support vector machines, kernels, bagging and the bootstrap."""

from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._folds import fold_rows
from branchline._validation import NumberTarget, RowWeights, TrainingData
from branchline.kernels import Precomputed
from branchline.reproduce._comparing_digits import counted, figure, figures, worded
from branchline.reproduce._reproduction import Figure, Line
from branchline.svm import SVC
from branchline.table import Table, load_dataset

__all__ = ["machine_examples"]

# K(x, y) = (x·y + 1)², on the inputs as they are.
_SQUARE: dict[str, Any] = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}
_EXACT: dict[str, Any] = {"standardize": False, "tol": 1e-8}


def machine_examples() -> list[Line]:
    """Return the examples of section 3, and of bagging."""
    examples = {
        "SVM on x = 1, 2, 4, 5, 6, K = (xy + 1)², C = 100": _five_points,
        "SVM on XOR at (±1, ±1), K = (x·y + 1)²": _exclusive_or,
        "kernel-6 is not positive semidefinite": _kernel_of_six,
        "XOR: votes of four bagged lines (0 counts as negative)": _bagged_lines,
        "share of rows in a bootstrap sample, 1 − (1 − 1/N)^N": _bootstrap,
    }
    return [Line(name, tuple(make())) for name, make in examples.items()]


def _alphas(model: Any, n_rows: int) -> Floats:
    found = np.zeros(n_rows)
    found[model.support_] = np.abs(model.dual_coef_[0])
    return found


def _five_points() -> list[Figure]:
    x = np.array([1.0, 2.0, 4.0, 5.0, 6.0])
    model = SVC(100, **_SQUARE, **_EXACT).fit(x[:, None], [1, 1, -1, -1, 1])
    printed = {f"α {row}": value for row, value in enumerate((0, 2.5, 0, 7.333, 4.833), 1)}
    places = np.linspace(-3, 9, 25)
    curve = np.polyfit(places, model.decision_function(places[:, None]), 2)
    terms = {"f(x): x²": 0.667, "f(x): x": -5.333, "f(x): constant": 9.0}
    return [
        *figures(printed, _alphas(model, 5), 3),
        figure("b", 9.0, float(model.intercept_[0]), 3),
        *figures(terms, curve, 3),
    ]


def _exclusive_or() -> list[Figure]:
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    model = SVC(100, **_SQUARE, **_EXACT).fit(X, [-1, 1, 1, -1])
    new = np.array([[2.0, 3.0], [-0.5, 4.0]])
    found = model.decision_function(new)
    return [
        *figures({f"α {row}": 0.125 for row in range(1, 5)}, _alphas(model, 4), 3),
        figure("b", 0.0, float(model.intercept_[0]), 3),
        figure("f(2, 3) = −x₁x₂", -6.0, float(found[0]), 3),
        figure("f(−½, 4) = −x₁x₂", 2.0, float(found[1]), 3),
    ]


def _kernel_of_six() -> list[Figure]:
    """Return the least eigenvalues: one pair has two printed values, neither makes a kernel."""
    found = []
    for entry, least in ((0.17, -0.046), (0.70, -0.011)):
        K = load_dataset("kernel-6").to_numpy().copy()
        K[1, 3] = K[3, 1] = entry
        verdict = Precomputed().is_psd(K)
        found.append(
            figure(f"least eigenvalue, K₂₄ = {entry:.2f}", least, verdict.least_eigenvalue, 3)
        )
        found.append(worded(f"a kernel, K₂₄ = {entry:.2f}", False, bool(verdict)))
    return found


def _bagged_lines() -> list[Figure]:
    """Return the votes of lines fitted on four samples of the corners, drawn with replacement."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    classes = np.array([-1, 1, -1, 1])
    samples = ((0, 1, 3, 3), (1, 2, 3, 1), (0, 2, 3, 0), (0, 1, 0, 1))
    votes = np.zeros(4)
    for drawn in (list(sample) for sample in samples):
        line = SVC(kernel="linear", margin="hard", **_EXACT).fit(corners[drawn], classes[drawn])
        votes += line.predict(corners)
    predicted = np.where(votes > 0, 1, -1)
    printed = {f"votes, corner {row}": vote for row, vote in enumerate((-2, 2, 0, 2), 1)}
    return [
        *(
            counted(name, vote, int(ours))
            for (name, vote), ours in zip(printed.items(), votes, strict=True)
        ),
        counted("corners predicted wrongly", 0, int((predicted != classes).sum())),
    ]


def _bootstrap() -> list[Figure]:
    """Return the formula, and the share of rows that samples of our own hold."""
    n_rows = 1000
    table = Table.from_matrix(np.arange(n_rows, dtype=float)[:, None])
    rows = fold_rows(TrainingData(table, NumberTarget(np.zeros(n_rows)), RowWeights()))
    draws = np.random.default_rng(0)
    shares = [len(np.unique(rows.bootstrap(draws)[0])) / n_rows for _ in range(100)]
    return [
        figure("N = 1,000", 0.632, 1 - (1 - 1 / n_rows) ** n_rows, 3),
        figure("N = 1,000, 100 samples", 0.63, float(np.mean(shares)), 2),
    ]
