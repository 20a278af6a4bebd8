"""Gradient boosting on a noisy wave: test error against four settings.

1. y = sin x + sin 2x + noise of variance 2, x uniform from 0 to 10; learning sets of 200 rows.
2. Trees of four leaves, learning rate 0.1, all rows: the error on 2,000 new cases against the
   number of trees. With 200 trees, which is too many: against the rows of a leaf, the learning
   rate, and the share of rows that each tree sees.
3. Each point is the mean over learning sets with its standard error. The learning sets are the same
   at every point, so differences are taken within learning sets.
4. Textbooks draw such curves without numbers, and say that too many trees overfit. That is checked;
   what the other settings do is told in the notes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import fixed, number
from branchline._result_frame import Library, result_frame
from branchline._validation import AnyOf, Flag, OneOf, Whole, check_parameters, check_seed
from branchline.assess.theory import sine_function
from branchline.boosting import GradientBoostingRegressor
from branchline.reproduce._reproduction import Figure, Line, Reproduction

__all__ = ["ErrorCurve", "SineExperiment", "sine"]

_N_ROWS, _N_CASES = 200, 2000
_QUICK_DRAWS, _USUAL_DRAWS = 10, 50
_TOO_MANY = 200
_BASE: dict[str, Any] = {
    "learning_rate": 0.1,
    "max_leaf_nodes": 4,
    "min_samples_leaf": 1,
    "subsample": 1.0,
    "l2_regularization": 0.0,
    "max_features": None,
    "n_jobs": 1,
}
_TREES = (1, 2, 5, 10, 20, 35, 50, 100, 200, 500, 1000)
_CURVES: dict[str, tuple[float, ...]] = {
    "min_samples_leaf": (1, 2, 5, 10, 20, 30, 50, 80),
    "learning_rate": (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
    "subsample": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
}
# What is compared with the best value of each setting: the end that holds nothing back.
_UNRESTRAINED = {"min_samples_leaf": 1, "learning_rate": 1.0, "subsample": 1.0}


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """The test error against one setting.

    Parameters
    ----------
    setting
        The parameter that varies.
    values
        Its values.
    errors
        The mean squared error on new cases: a row for each learning set, a column for each value.

    See Also
    --------
    SineExperiment : the four curves, and whether too many trees overfit, as textbooks say.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.reproduce import ErrorCurve
    >>> float(ErrorCurve("depth", (1.0, 2.0), np.array([0.3, 0.2])).errors.min())
    0.2
    """

    setting: str
    values: tuple[float, ...]
    errors: Floats

    @property
    def mean(self) -> Floats:
        """The mean over learning sets."""
        found: Floats = self.errors.mean(axis=0)
        return found

    @property
    def standard_error(self) -> Floats:
        """The standard error of the mean."""
        found: Floats = self.errors.std(axis=0, ddof=1) / np.sqrt(len(self.errors))
        return found

    @property
    def best(self) -> float:
        """The value with the least mean error."""
        return self.values[int(self.mean.argmin())]

    def worse_by(self, value: float) -> tuple[float, float]:
        """Return how much worse a value is than the best one, and the standard error of that."""
        apart = self.errors[:, self.values.index(value)] - self.errors[:, int(self.mean.argmin())]
        return float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(len(apart)))

    def to_text(self) -> str:
        """Return a line for each value."""
        lines = [f"{self.setting:>16}  test error ± standard error"]
        for value, mean, error in zip(self.values, self.mean, self.standard_error, strict=True):
            mark = "  least" if value == self.best else ""
            lines.append(f"{number(value):>16}  {fixed(mean)} ± {fixed(error)}{mark}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as data."""
        return {
            "setting": self.setting,
            "values": list(self.values),
            "mean": self.mean.tolist(),
            "standard_error": self.standard_error.tolist(),
            "errors": self.errors.tolist(),
        }


@dataclass(frozen=True)
class SineExperiment(Reproduction):
    """The four curves, and whether too many trees overfit, as textbooks say.

    See Also
    --------
    sine : show how the test error of boosted trees depends on four settings.

    Examples
    --------
    >>> from branchline.reproduce import SineExperiment
    >>> len(SineExperiment("The sine experiment", (), "the order of the curves").curves)
    0
    """

    curves: tuple[ErrorCurve, ...] = ()

    def to_text(self) -> str:
        """Return the curves, then what is checked."""
        drawn = [f"{curve.to_text()}\n" for curve in self.curves]
        return "\n".join([self.title, "", *drawn, super().to_text().partition("\n\n")[2]])

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Return what is checked and the curves as data."""
        return {**super().to_dict(), "curves": [curve.to_dict() for curve in self.curves]}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each point: setting, value, mean error, its standard error."""
        names = ("setting", "value", "mean", "standard_error")
        rows = [
            (curve.setting, float(value), float(mean), float(error))
            for curve in self.curves
            for value, mean, error in zip(
                curve.values, curve.mean, curve.standard_error, strict=True
            )
        ]
        return result_frame(dict(zip(names, zip(*rows, strict=True), strict=True)), library)


def sine(
    n_draws: int | None = None,
    *,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> SineExperiment:
    """Show how the test error of boosted trees depends on four settings.

    Parameters
    ----------
    n_draws
        The number of learning sets; None (default): 50, or 10 with ``quick``.
    quick
        Fewer learning sets. Default False.
    random_state
        The seed of all draws. Default 0.
    tell
        Called with a sentence whenever a curve is done. Default None: nothing is called.

    See Also
    --------
    SineExperiment : the four curves, and whether too many trees overfit, as textbooks say.

    Examples
    --------
    >>> from branchline.reproduce import sine
    >>> [curve.setting for curve in sine(2).curves]
    ['n_estimators', 'min_samples_leaf', 'learning_rate', 'subsample']
    """
    given = {"n_draws": n_draws, "quick": quick}
    rules: dict[str, Any] = {"n_draws": AnyOf((OneOf((None,)), Whole(2))), "quick": Flag()}
    check_parameters("sine", given, rules)
    count = n_draws or (_QUICK_DRAWS if quick else _USUAL_DRAWS)
    curves = []
    for setting, values in {"n_estimators": _TREES, **_CURVES}.items():
        curves.append(_curve(setting, values, count, check_seed(random_state)))
        if tell is not None:
            tell(f"{setting}: least error at {number(curves[-1].best)}")
    return SineExperiment(
        f"y = sin x + sin 2x + N(0, 2), {count} learning sets of {_N_ROWS} rows, "
        f"{_N_CASES:,} new cases; the noise alone has an error of 2",
        (_claim(curves[0]),),
        "worse by more than two standard errors",
        (f"All but the first curve have {_TOO_MANY} trees.", *map(_note, curves[1:])),
        curves=tuple(curves),
    )


def _curve(setting: str, values: Sequence[float], n_draws: int, seed: int) -> ErrorCurve:
    problem = sine_function()
    cases, _ = problem.draw(_N_CASES, [seed, 0])
    truth = problem.truth(cases)
    errors = np.empty((n_draws, len(values)))
    for place in range(n_draws):
        X, y = problem.draw(_N_ROWS, [seed, place + 1])
        predicted = _predictions(setting, values, X, y, cases, seed + place)
        # The noise of new cases adds 2 to every error; it needs no drawing.
        errors[place] = [2 + float(((one - truth) ** 2).mean()) for one in predicted]
    return ErrorCurve(setting, tuple(values), errors)


def _predictions(
    setting: str, values: Sequence[float], X: Floats, y: Floats, cases: Floats, seed: int
) -> list[Floats]:
    """Return what is predicted for the cases at each value of a setting."""
    settings = {**_BASE, "random_state": seed % 2**31}
    if setting == "n_estimators":
        model = GradientBoostingRegressor(n_estimators=int(max(values)), **settings).fit(X, y)
        wanted = set(values)
        stages = enumerate(model.staged_predict(cases), start=1)
        return [predicted for n_trees, predicted in stages if n_trees in wanted]
    settings["n_estimators"] = _TOO_MANY
    models = (GradientBoostingRegressor(**{**settings, setting: value}) for value in values)
    return [model.fit(X, y).predict(cases) for model in models]


def _claim(curve: ErrorCurve) -> Line:
    most = curve.values[-1]
    worse, error = curve.worse_by(most)
    is_true = worse > 2 * error and most != curve.best
    ours = f"{'yes' if is_true else 'no'}: {fixed(worse)} ± {fixed(error)}"
    name = f"{number(most)} trees are worse than {number(curve.best)}"
    return Line("too many trees overfit", (Figure(name, "yes", ours, is_true),))


def _note(curve: ErrorCurve) -> str:
    """Say how much a setting holds back the overfitting of too many trees."""
    usual = _UNRESTRAINED[curve.setting]
    worse, error = curve.worse_by(usual)
    if curve.best == usual or worse <= 2 * error:
        return f"{curve.setting}: no value is clearly better than {number(usual)}."
    return (
        f"{curve.setting}: {number(curve.best)} is better than {number(usual)} by {fixed(worse)} ± "
        f"{fixed(error)}."
    )
