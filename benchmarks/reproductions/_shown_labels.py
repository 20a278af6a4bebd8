"""Few labels: two moons, digits, whether unlabeled rows help, rows chosen to be labeled."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons

from benchmarks.reproductions._shown import Shown, mean_and_error
from branchline import Table, compare
from branchline.active import ActiveLearner
from branchline.forest import RandomForestClassifier
from branchline.semi import S3VM, LabelPropagation, LabelSpreading, SelfTraining
from branchline.svm import SVC

__all__ = ["PARTS"]

_GRAPHS = (LabelPropagation(n_jobs=1), LabelSpreading(n_jobs=1))


def moons(n_draws: int) -> list[Shown]:
    """Two moons with a label each, by graphs and by an S3VM."""
    models = [*_GRAPHS, S3VM(10.0, gamma=2.0, n_jobs=1)]
    found: dict[str, list[float]] = {type(model).__name__: [] for model in models}
    for seed in range(n_draws):
        X, y = make_moons(300, noise=0.05, random_state=seed)
        known = _some_labels(y, 1, seed)
        for model in models:
            labels = clone(model).fit(X, known).transduction_
            found[type(model).__name__].append(float(np.mean(labels == y)))
    return [
        Shown(f"two moons, {name}, {n_draws} draws", "≥ 0.98 in each",
              f"{mean_and_error(values)}, least {min(values):.3f}", min(values) >= 0.98)
        for name, values in found.items()
    ]  # fmt: skip


def digits(n_draws: int) -> list[Shown]:
    """Digits with four labels of each class, beside the learner that sees the labels alone."""
    X, y = load_digits(return_X_y=True)
    models = {
        "LabelPropagation": (_GRAPHS[0], SVC(n_jobs=1)),
        "LabelSpreading": (_GRAPHS[1], SVC(n_jobs=1)),
        "SelfTraining('svm')": (SelfTraining("svm"), SVC(n_jobs=1)),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in models}
    for seed in range(n_draws):
        known = _some_labels(y, 4, seed)
        few = np.isfinite(known)
        for name, (model, base) in models.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                labels = clone(model).fit(X, known).transduction_
                alone = clone(base).fit(X[few], known[few]).predict(X)
            pair = [float(np.mean(one[~few] == y[~few])) for one in (labels, alone)]
            found[name].append((pair[0], pair[1]))
    return [line for name, pairs in found.items() for line in _beside_base(name, np.array(pairs))]


def _beside_base(name: str, pairs: Any) -> list[Shown]:
    reached, gain = pairs[:, 0], pairs[:, 0] - pairs[:, 1]
    asked = "" if name.startswith("Self") else "≥ 0.888"
    met = None if not asked else bool(reached.mean() >= 0.888)
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return [
        Shown(f"digits, 40 labels, {name}", asked, mean_and_error(reached), met),
        Shown(f"the same less its base, {name}", "not below 0 by more than its error",
              f"{mean_and_error(gain)}, least {gain.min():.3f}", bool(gain.mean() >= -error)),
    ]  # fmt: skip


def _some_labels(y: Any, n_each: int, seed: int) -> Any:
    draws = np.random.default_rng(seed)
    known = np.full(len(y), np.nan)
    for label in np.unique(y):
        rows = draws.permutation(np.flatnonzero(y == label))[:n_each]
        known[rows] = label
    return known


# -- the verdict of compare -----------------------------------------------------------------------

_Drawn = tuple[Any, Any]


def _groups(draws: Any, n_rows: int, n_columns: int, apart: float) -> _Drawn:
    """Return groups around centers: rows of a class are near one another."""
    y = draws.integers(0, 3, n_rows)
    return draws.normal(size=(n_rows, n_columns)) + apart * np.eye(3, n_columns)[y], y


def _moons(draws: Any, n_rows: int, noise: float) -> _Drawn:
    X, y = make_moons(n_rows, noise=noise, random_state=int(draws.integers(2**31)))
    return X, y


def _rings(draws: Any, n_rows: int, noise: float) -> _Drawn:
    y = draws.integers(0, 2, n_rows)
    angle, radius = 2 * np.pi * draws.random(n_rows), 1.0 + 1.5 * y
    X = np.c_[np.cos(angle), np.sin(angle)] * radius[:, None]
    return X + noise * draws.normal(size=X.shape), y


def _through(draws: Any, n_rows: int, n_columns: int) -> _Drawn:
    """Return two groups with a boundary that runs through both: near rows mislead."""
    group = draws.integers(0, 2, n_rows)
    X = 0.6 * draws.normal(size=(n_rows, n_columns))
    y = (X[:, 0] > 0).astype(int)
    X[:, 1] += 6.0 * group
    return X, y


def _striped(draws: Any, n_rows: int, n_groups: int) -> _Drawn:
    """Return groups along a line; a second, narrow column decides."""
    group = draws.integers(0, n_groups, n_rows)
    thin = draws.normal(size=n_rows)
    X = np.c_[4.0 * group + 0.3 * draws.normal(size=n_rows), thin]
    return X, (thin > 0).astype(int)


def _nothing(draws: Any, n_rows: int, n_columns: int) -> _Drawn:
    """Return labels that nothing tells: unlabeled rows cannot help."""
    return draws.normal(size=(n_rows, n_columns)), draws.integers(0, 2, n_rows)


_HELP: dict[str, Callable[[Any], _Drawn]] = {
    "moons": lambda draws: _moons(draws, 300, 0.08),
    "moons, noisy": lambda draws: _moons(draws, 300, 0.15),
    "rings": lambda draws: _rings(draws, 300, 0.15),
    "rings, noisy": lambda draws: _rings(draws, 300, 0.25),
    "3 groups in 8": lambda draws: _groups(draws, 300, 8, 3.5),
    "3 groups in 20": lambda draws: _groups(draws, 300, 20, 4.0),
    "3 groups in 3": lambda draws: _groups(draws, 300, 3, 4.0),
    "3 groups in 40": lambda draws: _groups(draws, 300, 40, 5.0),
}
_NO_HELP: dict[str, Callable[[Any], _Drawn]] = {
    "boundary through groups, 2": lambda draws: _through(draws, 300, 2),
    "boundary through groups, 4": lambda draws: _through(draws, 300, 4),
    "boundary through groups, 8": lambda draws: _through(draws, 300, 8),
    "stripes, 2": lambda draws: _striped(draws, 300, 2),
    "stripes, 4": lambda draws: _striped(draws, 300, 4),
    "stripes, 8": lambda draws: _striped(draws, 300, 8),
    "noise, 3": lambda draws: _nothing(draws, 300, 3),
    "noise, 10": lambda draws: _nothing(draws, 300, 10),
}
_LEARNERS = ("label_propagation", "label_spreading", "s3vm")


def verdict(n_draws: int) -> list[Shown]:
    """Verdicts of compare on tables where unlabeled rows help, and where they do not."""
    n_draws = max(1, n_draws // 5)
    lines = []
    for tables, says, wrong in ((_HELP, "help", "hurt"), (_NO_HELP, "do not help", "helped")):
        words: list[str] = []
        for name, draw in tables.items():
            told = [one for seed in range(n_draws) for one in _verdicts(name, draw, seed)]
            words += [word for _, word in told]
            print(name, *(f"{learner}: {word}" for learner, word in told), sep="; ", flush=True)
        shares = ", ".join(f"{words.count(one)} {one}" for one in ("helped", "hurt", "tied"))
        rate = words.count(wrong) / len(words)
        what = f"{len(tables)} tables where unlabeled rows {says}, {n_draws} draws each"
        lines.append(Shown(what, "", shares))
        lines.append(Shown(f'the same, false "{wrong}"', "≤ 0.05", f"{rate:.3f}", rate <= 0.05))
    return lines


def _verdicts(name: str, draw: Callable[[Any], _Drawn], seed: int) -> list[tuple[str, str]]:
    draws = np.random.default_rng([seed, sum(name.encode())])
    X, y = draw(draws)
    n_labels = int(draws.integers(30, 61))
    known = [f"class {label}" if at < n_labels else None for at, label in enumerate(y)]
    columns = {f"x{at}": column for at, column in enumerate(X.T)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare({**columns, "label": known}, "label", learners=list(_LEARNERS),
                        n_folds=5, random_state=seed)  # fmt: skip
    return [(one.learner, one.verdict) for one in found.unlabeled]


# -- rows that are chosen -------------------------------------------------------------------------


def active(n_draws: int) -> list[Shown]:
    """Digits from 20 to 70 labels with a forest of 50 trees, beside scikit-activeml."""
    X, y = load_digits(return_X_y=True)
    ours, seconds, theirs, their_seconds = [], [], [], []
    for seed in range(n_draws):
        order = np.random.default_rng(seed).permutation(len(y))
        pool, test = order[: len(y) // 2], order[len(y) // 2 :]
        parts = (X[pool].astype(float), y[pool], X[test], y[test])
        for way, scores, took in ((_ours, ours, seconds), (_activeml, theirs, their_seconds)):
            began = time.process_time()
            score = way(*parts, seed)
            if score is not None:
                scores.append(score)
                took.append(time.process_time() - began)
    lines = [Shown(f"digits, 20 → 70 labels, 50 trees, {n_draws} draws", "≥ 0.856 (one draw)",
                   mean_and_error(ours))]  # fmt: skip
    if theirs:
        gap = np.array(ours) - np.array(theirs)
        error = gap.std(ddof=1) / np.sqrt(len(gap))
        ratio = float(np.median(their_seconds) / np.median(seconds))
        lines.append(Shown("scikit-activeml on the same draws", "", mean_and_error(theirs)))
        lines.append(Shown("ours less theirs, paired", "≥ 0 within 2 errors",
                           mean_and_error(gap), bool(gap.mean() >= -2 * error)))  # fmt: skip
        lines.append(Shown("their CPU time over ours", "≥ 5", f"{ratio:.1f}", ratio >= 5))
    return lines


def _ours(X: Any, y: Any, new: Any, truth: Any, seed: int) -> float:
    forest = RandomForestClassifier(n_estimators=50, oob_score=False, n_jobs=1, random_state=seed)
    learner = ActiveLearner(Table(X), estimator=forest, batch_size=1, check_share=0.0,
                            random_state=seed)  # fmt: skip
    learner.tell(range(20), y[:20])
    while learner.n_labeled < 70:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    return float(np.mean(learner.model_.predict(Table(new)) == truth))


def _activeml(X: Any, y: Any, new: Any, truth: Any, seed: int) -> float | None:
    try:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling
    except ImportError:
        return None
    from sklearn.ensemble import RandomForestClassifier as Peer

    model = SklearnClassifier(Peer(50, random_state=seed, n_jobs=1), classes=range(10))
    strategy = UncertaintySampling(method="margin_sampling", random_state=seed)
    labels = np.full(len(y), np.nan)
    labels[:20] = y[:20]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(50):
            row = strategy.query(X, labels, model)
            labels[row] = y[row]
        return float(np.mean(model.fit(X, labels).predict(new) == truth))


PARTS = {"moons": moons, "digits": digits, "verdict": verdict, "active": active}
