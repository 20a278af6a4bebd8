"""The worked examples of decision trees on the small tables, as fitted trees give them."""

import numpy as np

from branchline.reproduce._comparing_digits import counted, figure, figures, worded
from branchline.reproduce._reproduction import Figure, Line
from branchline.reproduce._tree_readings import (
    best_test,
    branch,
    dataset,
    gains,
    impurity,
    left_open,
    with_one_more_day,
)
from branchline.tree import ID3, DecisionTreeClassifier

__all__ = ["tree_examples"]

_WEATHER = ("outlook", "temperature", "humidity", "wind")
_THRESHOLDS = {
    "64.5": 0.048, "66.5": 0.010, "68.5": 0.000, "69.5": 0.015, "70.5": 0.045, "71.5": 0.001,
    "73.5": 0.001, "77.5": 0.025, "80.5": 0.000, "82": 0.010, "84": 0.113,
}  # fmt: skip


def tree_examples() -> list[Line]:
    """Return the examples that are fitted on bundled tables."""
    examples = {
        "tennis": _tennis,
        "tennis, below outlook": _tennis_below,
        "tennis with numeric temperature": _thresholds,
        "tennis-2": _tennis_2,
        "names, H(name | …)": _names,
        "robot, H(action | …)": _robot,
        "loan": _loan,
        "fruit": _fruit,
        "XOR": _xor,
        "grades": _grades,
    }
    return [Line(name, tuple(make())) for name, make in examples.items()]


def _named(kind: str, **values: float) -> dict[str, float]:
    return {f"{kind} {name}": value for name, value in values.items()}


def _tennis() -> list[Figure]:
    X, y = dataset("tennis", "play")
    model = ID3().fit(X, y)
    reasons = model.why(0)
    ratios = [reasons[name].gain_ratio for name in _WEATHER]
    gain = _named("gain", outlook=0.2467, temperature=0.0292, humidity=0.1518, wind=0.0481)
    ratio = _named("gain ratio", outlook=0.1564, temperature=0.0188, humidity=0.1518, wind=0.0488)
    outlook = reasons["outlook"]
    return [
        figure("H", 0.940, reasons.impurity, 3),
        *figures(gain, gains(model, 0, *_WEATHER), 4),
        figure("split information outlook", 1.5774, outlook.gain / outlook.gain_ratio, 4),
        *figures(ratio, ratios, 4),
        counted("leaves", 5, model.get_n_leaves()),
        counted("training errors", 0, int((model.predict(X) != np.asarray(y)).sum())),
    ]


def _tennis_below() -> list[Figure]:
    model = ID3().fit(*dataset("tennis", "play"))
    sunny, rain = (branch(model, "outlook", name) for name in ("sunny", "rain"))
    in_sunny = _named("sunny, gain", temperature=0.571, humidity=0.971, wind=0.020)
    in_rain = _named("rain, gain", temperature=0.020, humidity=0.020, wind=0.971)
    return [
        figure("sunny, H", 0.971, impurity(model, sunny), 3),
        *figures(in_sunny, gains(model, sunny, *_WEATHER[1:]), 3),
        *figures(in_rain, gains(model, rain, *_WEATHER[1:]), 3),
        worded("sunny, test", "humidity", best_test(model, sunny)),
        worded("overcast, test", "none", best_test(model, branch(model, "outlook", "overcast"))),
        worded("rain, test", "wind", best_test(model, rain)),
    ]


def _thresholds() -> list[Figure]:
    model = ID3().fit(*dataset("tennis-numeric", "play"))
    listed = {reason.test: reason.gain for reason in model.why(0, column="temperature")}
    printed = {f"temperature ≤ {cut}": value for cut, value in _THRESHOLDS.items()}
    return figures(printed, [listed[name] for name in printed], 3)


def _tennis_2() -> list[Figure]:
    X, y = dataset("tennis-2", "play")
    model, small = ID3().fit(X, y), ID3(max_depth=2, missing="fractional").fit(X, y)
    sunny = branch(model, "outlook", "sunny")
    missed = np.flatnonzero(small.predict(X) != np.asarray(y)) + 1
    day = {"outlook": ["sunny"], "temperature": ["hot"], "humidity": [None], "wind": ["strong"]}
    no = small.predict_proba(day)[0, small.classes_ == "no"][0]
    tied = ID3().fit(*with_one_more_day())
    in_tied = branch(tied, "outlook", "sunny")
    root = _named("gain", outlook=0.2467, temperature=0.0150, humidity=0.1518, wind=0.0161)
    in_sunny = _named("sunny, gain", temperature=0.420, humidity=0.971, wind=0.020)
    in_tie = _named("one more day, sunny, gain", temperature=0.459, humidity=0.459)
    return [
        *figures(root, gains(model, 0, *_WEATHER), 4),
        *figures(in_sunny, gains(model, sunny, *_WEATHER[1:]), 3),
        counted("leaves of the full tree", 7, model.get_n_leaves()),
        worded("row that 5 leaves miss", "[10]", missed.tolist()),
        *figures(in_tie, gains(tied, in_tied, "temperature", "humidity"), 3),
        figure("P(no) with humidity missing", 0.6, no, 1),
    ]


def _names() -> list[Figure]:
    model = ID3().fit(*dataset("names", "name"))
    printed = {"gender": 2.322, "size": 1.751, "eyes": 1.751, "hair": 1.961}
    return [
        figure("H", 3.322, impurity(model), 3),
        *figures(printed, left_open(model, 0, *printed), 3),
    ]


def _robot() -> list[Figure]:
    X, y = dataset("robot", "action")
    model = ID3().fit(X, y)
    blocked = branch(model, "forward", "obstacle")
    printed = {"left": 0.874, "right": 1.0, "forward": 0.333, "back": 1.0, "previous": 0.667}
    below = {"left": 0.0, "previous": 0.0, "right": 1.0, "back": 1.0}
    return [
        figure("H", 1.252, impurity(model), 3),
        *figures(printed, left_open(model, 0, *printed), 3),
        *figures(
            {f"before an obstacle, {name}": value for name, value in below.items()},
            left_open(model, blocked, *below),
            3,
        ),
        counted("rules, one for each leaf", 3, model.get_n_leaves()),
        counted("training errors", 0, int((model.predict(X) != np.asarray(y)).sum())),
    ]


def _loan() -> list[Figure]:
    X, y = dataset("loan", "class")
    model = ID3().fit(X, y)
    printed = _named("gain", age=0.083, job=0.324, house=0.420, credit=0.363)
    tenants = branch(model, "house", "f")
    return [
        figure("H", 0.971, impurity(model), 3),
        *figures(printed, gains(model, 0, "age", "job", "house", "credit"), 3),
        figure("house = f, gain job", 0.918, gains(model, tenants, "job")[0], 3),
        worded("columns used", "job, house", ", ".join(model.used_columns_)),
        counted("training errors", 0, int((model.predict(X) != np.asarray(y)).sum())),
    ]


def _fruit() -> list[Figure]:
    model = ID3().fit(*dataset("fruit", "fruit"))
    printed = _named("gain", color=0.722, shape=0.971, leaf=0.571, taste=0.722)
    round_ones = branch(model, "shape", "round")
    tie = _named("round, gain", taste=0.918, color=0.918)
    return [
        figure("H", 1.522, impurity(model), 3),
        *figures(printed, gains(model, 0, "color", "shape", "leaf", "taste"), 3),
        *figures(tie, gains(model, round_ones, "taste", "color"), 3),
        worded("round, test", "taste", best_test(model, round_ones)),
    ]


def _xor() -> list[Figure]:
    X, y = dataset("xor", "class")
    stopped = DecisionTreeClassifier(prune=None).fit(X, y)
    solved = ID3().fit(X, y)
    return [
        *figures(_named("gain", x1=0.0, x2=0.0), gains(stopped, 0, "x1", "x2"), 3),
        counted("leaves with zero_gain='stop'", 1, stopped.get_n_leaves()),
        counted("depth of ID3", 2, solved.get_depth()),
        counted("training errors of ID3", 0, int((solved.predict(X) != np.asarray(y)).sum())),
    ]


def _grades() -> list[Figure]:
    tables = {
        "H(grade | clouds)": ("grades-clouds", "grade", "clouds", 1.9029),
        "H(pass | clouds)": ("grades-pass-clouds", "result", "clouds", 0.6721),
        "H(pass | improc)": ("grades-pass-improc", "result", "improc", 0.6279),
        "H(grade | clouds), softdev = A": ("grades-softdev-a", "grade", "clouds", 1.1916),
    }
    found = []
    for name, (table, target, column, value) in tables.items():
        model = ID3().fit(*dataset(table, target))
        found.append(figure(name, value, left_open(model, 0, column)[0], 4))
    grade = ID3().fit(*dataset("grades-clouds", "grade"))
    passed = ID3().fit(*dataset("grades-pass-clouds", "result"))
    return [
        figure("H of 13, 70, 70, 20, 6, 11", 2.0635, impurity(grade), 4),
        figure("H of 153, 37", 0.7113, impurity(passed), 4),
        *found,
    ]
