"""The worked examples of nearest neighbors, metrics and decompositions."""

from fractions import Fraction
from typing import Any

import numpy as np

from branchline.assess import METRICS, Outcome
from branchline.assess.theory import shatter, shrunken_mean_decomposition
from branchline.neighbors import NearestNeighborsClassifier
from branchline.reproduce._comparing_digits import counted, figure, worded
from branchline.reproduce._reproduction import Figure, Line
from branchline.table import load_dataset

__all__ = ["score_examples"]

_CONFUSIONS: dict[tuple[int, int, int, int], dict[str, tuple[Any, int]]] = {
    (5, 1, 3, 6): {"error": (4 / 15, 9), "sensitivity": (5 / 6, 9), "specificity": (6 / 9, 9)},
    (3, 3, 2, 7): {"error": (5 / 15, 9), "sensitivity": (3 / 6, 9), "specificity": (7 / 9, 9)},
    (10, 0, 50, 950): {"precision": (0.167, 3), "f1": (0.29, 2)},
    (10, 0, 10, 990): {"precision": (0.5, 1), "f1": (0.667, 3)},
    (0, 10, 0, 90): {"error": (0.10, 2), "sensitivity": (0.0, 3), "specificity": (1.0, 3)},
    (0, 50, 0, 50): {"error": (0.5, 2), "sensitivity": (0.0, 3), "specificity": (1.0, 3)},
    (10, 0, 10, 80): {"error": (0.10, 2), "sensitivity": (1.0, 3), "specificity": (0.889, 3)},
}
_MODELS = {
    "model_1": {"mse": 9.514, "mae": 2.815, "pearson": 0.9992, "spearman": 0.9929},
    "model_2": {"mse": 249.66, "mae": 14.618, "pearson": 0.9815, "spearman": 0.9786},
}


def score_examples() -> list[Line]:
    """Return the examples of sections 4 and 5."""
    examples = {
        "1-NN, query (.92, .43)": _nearest,
        "ROC": _roc,
        "regression": _regression,
        "confusion (hits, misses, false alarms, rejections)": _confusions,
        "shrunken mean, λ = 2, N = 8, μ = 176, σ² = 50": _shrunken,
        "points that are shattered": _shattered,
    }
    return [Line(name, tuple(make())) for name, make in examples.items()]


def _nearest() -> list[Figure]:
    X, y = load_dataset("one-nn").split_target("class")
    plain: dict[str, Any] = {"weights": "uniform", "scale": "none", "column_weights": None}
    model = NearestNeighborsClassifier(n_neighbors=1, **plain).fit(X, y)
    query = {"x1": [0.92], "x2": [0.43]}
    distances, rows = model.kneighbors(query, n_neighbors=4)
    by_row = dict(zip(rows[0].tolist(), distances[0].tolist(), strict=True))
    printed = (0.710, 0.772, 0.538, 0.439)
    return [
        *(
            figure(f"distance {row + 1}", value, by_row[row], 3)
            for row, value in enumerate(printed)
        ),
        worded("prediction", "Disease", model.predict(query)[0]),
    ]


def _roc() -> list[Figure]:
    table = load_dataset("roc")
    scores = np.asarray(table["score"].numbers())
    truth = np.array([int(str(label) == "p") for label in table["class"].to_list()])
    outcome = Outcome(truth, truth, np.column_stack([1 - scores, scores]), ("n", "p"), 1)
    return [figure("AUC", 0.68, METRICS["auc"].score(outcome), 2)]


def _regression() -> list[Figure]:
    table = load_dataset("regression")
    truth = np.asarray(table["truth"].numbers(), dtype=float)
    return [
        figure(f"{model}, {name}", value, METRICS[name].score(outcome), _digits(value))
        for model, printed in _MODELS.items()
        for outcome in (Outcome(truth, np.asarray(table[model].numbers(), dtype=float)),)
        for name, value in printed.items()
    ]


def _digits(value: float) -> int:
    """Return how many digits after the point a number is printed with."""
    return len(f"{value:.10g}".partition(".")[2])


def _confusions() -> list[Figure]:
    found = []
    for cells, printed in _CONFUSIONS.items():
        truth, said_yes = np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
        outcome = Outcome(truth, said_yes, None, ("n", "p"), 1)
        for name, (value, digits) in printed.items():
            ours = METRICS[name].score(outcome)
            found.append(_share(f"{cells}, {name}", value, ours, digits))
        if cells == (0, 10, 0, 90):
            precision = METRICS["precision"].score(outcome)
            found.append(worded(f"{cells}, precision", "nan", precision))
    return found


def _share(name: str, printed: float, ours: float, digits: int) -> Figure:
    """Return a figure; those that are printed as fractions are shown with three digits."""
    if digits < 9:
        return figure(name, printed, ours, digits)
    text = str(Fraction(printed).limit_denominator(100))
    return Figure(name, text, f"{ours:.6f}", abs(ours - printed) < 1e-9)


def _shrunken() -> list[Figure]:
    parts = shrunken_mean_decomposition(176.0, 50.0, n_rows=8, strength=2.0, guess=180.0)
    return [
        figure("bias² (2/10)² (176 − 180)²", 0.64, float(parts.bias2 or 0.0), 2),
        figure("variance 8 · 50 / 10²", 4.0, parts.variance, 2),
    ]


def _shattered() -> list[Figure]:
    cases = {"lines in the plane": ("hyperplanes", 2, 3), "planes in space": ("hyperplanes", 3, 4)}
    cases |= {"circles around the origin": ("circles", 2, 2)}
    cases |= {"rectangles along the axes": ("rectangles", 2, 4)}
    found = []
    for name, (family, n_inputs, count) in cases.items():
        most = max(
            size
            for size in range(1, count + 2)
            if shatter(family, n_points=size, n_inputs=n_inputs).is_shattered
        )
        found.append(counted(name, count, most))
    sines = shatter("sines", n_points=8)
    return [*found, worded("sines, 8 points", True, sines.is_shattered)]
