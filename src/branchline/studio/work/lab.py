"""The lab: a learner on a few points, its boundary, its errors; one column, bias and variance."""

import ast
import shlex
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.assess.theory import bias_variance_by_simulation
from branchline.errors import ParameterError
from branchline.studio.work._desk import Desk
from branchline.studio.work._lab_learners import LEARNERS, LESSONS, call_in_python, made_learner
from branchline.studio.work._lab_points import CURVES, SHAPES, curve_of, points_of
from branchline.studio.work._sources import table_of, target_of

__all__ = ["lab_fit", "lab_parts", "lab_points"]

# Places along each side of the grid: fewer where predictions take longer.
_N_STEPS, _N_STEPS_OF_NEIGHBORS, _N_CURVE = 48, 36, 161
_N_SETS = 100
Floats = npt.NDArray[np.float64]


def lab_points(
    desk: Desk, shape: str, n: int, seed: int, noise: float, table: str | None, columns: list[str]
) -> dict[str, Any]:
    """Return points to learn from and held-out points, and everything the lab can do."""
    about = {"learners": LEARNERS, "lessons": LESSONS, "shapes": [*SHAPES], "curves": [*CURVES]}
    if table is not None:
        return {**about, **_points_of_table(desk, table, columns, n)}
    X, y = points_of(shape, n, seed, noise)
    unseen, truth = points_of(shape, 400, seed + 10_000, noise)
    classes = None if shape in CURVES else [str(k) for k in range(int(max(y)) + 1)]
    return {
        **about,
        "X": X.round(4).tolist(),
        "y": np.asarray(y).round(4).tolist(),
        "held_points": unseen.round(4).tolist(),
        "held_targets": np.asarray(truth).round(4).tolist(),
        "classes": classes,
        "axes": ["x", "y"],
    }


def _points_of_table(desk: Desk, id: str, columns: list[str], n: int) -> dict[str, Any]:
    """Return rows of a table by two of its numeric columns, moved into the square."""
    document, table = table_of(desk, id)
    target = target_of(document)
    if len(set(columns)) != 2 or target in columns:
        raise ParameterError("Choose two columns that are not the target.", code="P960")
    parts = [table.column(name) for name in columns]
    goal = table.column(target)
    if any(part.type.kind != "numeric" for part in parts) or goal.type.kind != "category":
        raise ParameterError("Choose two columns of numbers; the target must be classes.",
                             code="P960")  # fmt: skip
    X = np.column_stack([np.asarray(part.values, dtype=np.float64) for part in parts])
    known = ~goal.is_missing & np.isfinite(X).all(axis=1)
    rows = np.random.default_rng(0).permutation(np.flatnonzero(known))[: 2 * n]
    X, names = X[rows], np.asarray([str(value) for value in goal.to_list()])[rows]
    low, high = X.min(axis=0), X.max(axis=0)
    X = 1.8 * (X - low) / np.maximum(high - low, 1e-300) - 0.9
    classes, y = np.unique(names, return_inverse=True)
    if not 2 <= len(classes) <= 8:
        raise ParameterError("The lab shows targets of two to eight classes.", code="P960")
    half = len(rows) // 2
    return {
        "X": X[:half].round(4).tolist(),
        "y": y[:half].tolist(),
        "held_points": X[half:].round(4).tolist(),
        "held_targets": y[half:].tolist(),
        "classes": classes.tolist(),
        "axes": columns,
    }


def lab_fit(
    desk: Desk,
    learner: str,
    values: dict[str, float],
    X: list[list[float]],
    y: list[float],
    held_points: list[list[float]],
    held_targets: list[float],
    classes: list[str] | None,
) -> dict[str, Any]:
    """Fit a learner to the points; return what it predicts everywhere, and its errors."""
    task = "numbers" if classes is None else "classes"
    if learner not in LEARNERS or LEARNERS[learner][task] is None:
        raise ParameterError(f"{learner!r} does not predict {task}.", code="P960")
    points = np.asarray(X, dtype=np.float64)
    if (
        points.ndim != 2
        or len(points) != len(y)
        or len(held_points) != len(held_targets)
        or len(y) < 2
    ):
        raise ParameterError("At least two points are needed, each with a class.", code="P960")
    script = _script(learner, task, values)
    model = made_learner(learner, task, values)
    held = np.asarray(held_points, dtype=np.float64).reshape(len(held_targets), points.shape[1])
    if classes is None:
        return {**_curve(model, points, y, held, held_targets), "script": script}
    targets, unseen = np.asarray(y, dtype=int), np.asarray(held_targets, dtype=int)
    if len(np.unique(targets)) < 2:
        raise ParameterError("There must be points of at least two classes.", code="P960")
    model.fit(points, targets)
    n_steps = _N_STEPS_OF_NEIGHBORS if learner == "neighbors" else _N_STEPS
    found = _regions(model, len(classes), n_steps)
    found["train_error"] = float(np.mean(model.predict(points) != targets))
    if len(unseen):
        found["held_error"] = float(np.mean(model.predict(held) != unseen))
    return {**found, **_machine(model, points, targets, len(classes)), "script": script}


def _grid(n_steps: int) -> Floats:
    at = np.linspace(-1, 1, n_steps)
    across, down = np.meshgrid(at, at)
    return np.column_stack([across.ravel(), down.ravel()])


def _regions(model: Any, n_classes: int, n_steps: int) -> dict[str, Any]:
    """Return the class of each place of the grid and how certain it is, in 255 steps."""
    places = np.asarray(model.classes_, dtype=int)
    grid = _grid(n_steps)
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(grid))
        best = places[shares.argmax(axis=1)]
        least = 1 / len(places)
        sure = (shares.max(axis=1) - least) / (1 - least)
    else:
        best, sure = np.asarray(model.predict(grid), dtype=int), np.ones(len(grid))
    return {
        "steps": n_steps,
        "best": best.tolist(),
        "sure": np.clip(255 * sure, 0, 255).round().astype(int).tolist(),
        "n_classes": n_classes,
    }


def _machine(model: Any, points: Floats, y: Any, n_classes: int) -> dict[str, Any]:
    """Return margin and support vectors of a machine, or the weights of AdaBoost's rows."""
    found: dict[str, Any] = {}
    if hasattr(model, "support_") and len(model.classes_) == 2:
        margin = np.asarray(model.decision_function(_grid(_N_STEPS)), dtype=np.float64)
        found["margin"] = np.clip(margin, -1e6, 1e6).round(4).tolist()
    if hasattr(model, "support_"):
        found["support"] = np.asarray(model.support_).tolist()
    if hasattr(model, "row_weights"):
        weights = np.asarray(model.row_weights(points, y), dtype=np.float64)
        found["weights"] = (weights / max(weights.max(), 1e-300)).round(4).tolist()
    if hasattr(model, "complexity"):
        found["size"] = str(model.complexity())
    return found


def _curve(
    model: Any, points: Floats, y: list[float], held: Floats, held_targets: list[float]
) -> dict[str, Any]:
    targets, unseen = np.asarray(y, dtype=np.float64), np.asarray(held_targets, dtype=np.float64)
    model.fit(points, targets)
    at = np.linspace(-1, 1, _N_CURVE)
    found = {
        "curve_x": at.round(4).tolist(),
        "curve_y": np.asarray(model.predict(at[:, None])).round(4).tolist(),
        "train_error": float(np.mean((model.predict(points) - targets) ** 2)),
        "size": str(model.complexity()) if hasattr(model, "complexity") else None,
    }
    if len(unseen):
        found["held_error"] = float(np.mean((model.predict(held) - unseen) ** 2))
    return found


def lab_parts(
    desk: Desk, learner: str, values: dict[str, float], curve: str, n: int, noise: float
) -> dict[str, Any]:
    """Take the error of a learner on a curve apart: bias², variance and noise of 100 samples."""
    if learner not in LEARNERS or LEARNERS[learner]["numbers"] is None:
        raise ParameterError(f"{learner!r} does not predict numbers.", code="P960")
    problem, model = curve_of(curve, noise), made_learner(learner, "numbers", values)
    parts = bias_variance_by_simulation(model, problem, n_rows=n, n_sets=_N_SETS, n_cases=300)
    at = np.linspace(-1, 1, 81)[:, None]
    curves = []
    for seed in range(1, 21):
        X, y = problem.draw(n, [0, seed])
        curves.append(np.asarray(model.fit(X, y).predict(at)).round(4).tolist())
    return {
        **parts.to_dict(),
        "words": str(parts),
        "curves": curves,
        "at": at[:, 0].round(4).tolist(),
        "truth": problem.truth(at).round(4).tolist(),
    }


def _script(learner: str, task: str, values: dict[str, float]) -> dict[str, str]:
    """Return how the same learner is fitted to points.csv, which the page saves."""
    names = {"neighbors": "nearest_neighbors", "forest": "random_forest", "network": "mlp",
             "boosting": "gradient_boosting"}  # fmt: skip
    name = names.get(learner, learner.split("_")[0])
    target, kinds = ("class", {"class": "category"}) if task == "classes" else ("target", {})
    reading = f"'points.csv'{f', kinds={kinds!r}' if kinds else ''}"
    call = call_in_python(learner, task, values)
    python = [
        "import branchline as bl",
        "",
        f"X, y = bl.read_table({reading}).split_target({target!r})",
        f"model = {call}.fit(X, y)",
        "chart = bl.charts.boundaries(model, X, y)",
    ]
    sets = [f"--set {one}" for one in _arguments(call[call.index("(") + 1 : -1])]
    kind = ["--kind class=category"] if kinds else []
    words = [f"branchline fit points.csv --target {target} --learner {name}", *sets, *kind]
    return {"python": "\n".join(python), "command": " ".join(words)}


def _arguments(given: str) -> list[str]:
    """Return "a=1, b='x', c=(2,)" as words of a command line."""
    call = ast.parse(f"f({given})", mode="eval").body
    assert isinstance(call, ast.Call)
    pairs = [(one.arg, ast.literal_eval(one.value)) for one in call.keywords]
    return [shlex.quote(f"{name}={value}") for name, value in pairs]
