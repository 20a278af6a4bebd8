"""The worked examples of trees that are printed as counts: entropies, gains, subsets."""

import numpy as np

from branchline.reproduce._comparing_digits import counted, figure, figures
from branchline.reproduce._reproduction import Figure, Line
from branchline.reproduce._tree_readings import (
    dataset,
    gains,
    impurity,
    left_open,
    of_counts,
    subset_tree,
    two_tests,
)
from branchline.tree import ID3, OneRule
from branchline.tree.pruning._methods import steps_to_take

__all__ = ["count_examples"]

# Entropies of the leaves of the softdev tree are printed, their class counts are not: these counts
# have the printed entropies to two digits.
_SOFTDEV = {
    "node 1": (14, 9, 1, 1, 0, 0),
    "node 2": (15, 14, 3, 3, 0, 0),
    "node 3": (11, 6, 1, 1, 0, 0),
    "node 4": (3, 0, 0, 0, 0, 0),
    "node 5": (0, 2, 0, 0, 0, 0),
    "node 6": (1, 1, 0, 0, 0, 0),
    "node 7": (42, 22, 16, 9, 8, 7),
}


def count_examples() -> list[Line]:
    """Return the examples that are made of counts."""
    examples = {
        "counts (13, 4) and (1, 12)": _fourteen_and_sixteen,
        "64 objects": _sixty_four,
        "softdev nodes": _softdev,
        "subsets, two classes": _subsets,
        "flip_flop": _flip_flop,
        "reduced-error pruning": _pruning,
    }
    return [Line(name, tuple(make())) for name, make in examples.items()]


def _fourteen_and_sixteen() -> list[Figure]:
    model = ID3().fit(*of_counts({"low": (13, 4), "high": (1, 12)}))
    inside = sorted((impurity(model, 1), impurity(model, 2)))
    return [
        figure("H", 0.9968, impurity(model), 4),
        figure("H of (13, 4)", 0.7871, inside[1], 4),
        figure("H of (1, 12)", 0.3912, inside[0], 4),
        figure("gain", 0.3812, gains(model, 0, "test")[0], 4),
    ]


def _sixty_four() -> list[Figure]:
    first = {"true": (21, 5), "false": (8, 30)}
    second = {"true": (18, 33), "false": (11, 2)}
    model = ID3().fit(*two_tests(first, second))
    by_errors = OneRule(min_samples_leaf=1).fit(*of_counts({"a": (16, 13), "b": (2, 12)}))
    return [
        *figures({"gain A1": 0.266, "gain A2": 0.121}, gains(model, 0, "A1", "A2"), 3),
        figure("misclassification 13/29", 0.448, impurity(by_errors, 1), 3),
        figure("misclassification 2/14", 0.143, impurity(by_errors, 2), 3),
    ]


def _softdev() -> list[Figure]:
    model = ID3().fit(*of_counts(_SOFTDEV))
    printed = dict(zip(_SOFTDEV, (1.37, 1.66, 1.43, 0.0, 0.0, 1.0, 2.27), strict=True))
    found = [impurity(model, node) for node in range(1, len(printed) + 1)]
    return [*figures(printed, found, 2), figure("H(Y | tree)", 1.88, model.entropy_, 2)]


def _subsets() -> list[Figure]:
    table, target = of_counts({"a": (6, 1), "b": (3, 5), "c": (5, 0)}, "x")
    model = subset_tree().fit(table, target)
    after = {reason.test: impurity(model) - reason.gain for reason in model.why(0, column="x")}
    # A subset and its complement are one test: {b} is {c, a}, {a} is {c, b}.
    many = subset_tree().fit(
        *of_counts({letter: (2, place) for place, letter in enumerate("abcdef")}, "x")
    )
    found = [after[name] for name in ("x in (c)", "x in (a, c)", "x in (a)")]
    return [
        *figures({"H {c}": 0.7282, "H {c, a}": 0.6301, "H {c, b}": 0.8319}, found, 4),
        figure("best", 0.6301, left_open(model, 0, "x")[0], 4),
        counted("subset tests of 3 values", 3, len(after)),
        counted("subset tests of 6 values", 2**5 - 1, len(many.why(0, column="x"))),
    ]


def _flip_flop() -> list[Figure]:
    X, y = dataset("flipflop", "Y")
    model = subset_tree().fit(X, y)
    entropy = impurity(model)
    after = {
        frozenset(_letters(reason.test)): entropy - reason.gain
        for reason in model.why(0, column="X")
    }
    start = after.get(frozenset("α"), after.get(frozenset("γδ")))
    x = np.array([str(value) for value in X["X"].to_list()])
    letters = [str(value) for value in y]
    classes = _scan(letters, x == "α", "eadfcb")
    values = _scan(x.tolist(), np.isin(letters, list("ead")), "βαδ", n_steps=3)
    first = {"H e": 0.831, "H e, a": 0.773, "H e, a, d": 0.705, "H … f": 0.722, "H … c": 0.767}
    second = {"H β": 0.934, "H β, α": 0.705, "H β, α, δ": 0.588}
    return [
        figure("start, H(Y | S = {α})", 2.1319, float(start or np.nan), 4),
        *figures(first, classes, 3),
        *figures(second, values, 3),
        figure("optimum, H(Y | S)", 2.0328, left_open(model, 0, "X")[0], 4),
    ]


def _letters(test: str) -> list[str]:
    """Return the categories of a test in words: "X in (α, δ)"."""
    return test[test.index("(") + 1 : test.index(")")].split(", ")


def _scan(cells: list[str], target: np.ndarray, order: str, n_steps: int = 5) -> list[float]:
    """Return H(target | cell in the first k of an order), k = 1, 2, …, by trees of one test."""
    found = []
    for count in range(1, n_steps + 1):
        inside = ["in" if cell in order[:count] else "out" for cell in cells]
        labels = ["yes" if value else "no" for value in target]
        model = ID3().fit({"side": inside}, labels)
        found.append(left_open(model, 0, "side")[0])
    return found


def _pruning() -> list[Figure]:
    errors = np.array([10.0, 8.0, 15.0, 25.0, 35.0])
    return [
        counted(f"tree kept of 10, 8, 15, 25, 35 % (accept={accept!r})", 2, steps + 1)
        for accept in ("better", "best")
        for steps in (steps_to_take(errors, accept),)
    ]
