"""Bias² and variance against what drives them: model, truth, noise, sample size.

A more complex model has less bias and more variance. A more complex truth (Bayes model) has more
bias at the same model. Noise and fewer rows make more variance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from branchline._drawable import Drawable
from branchline._plain_numbers import number
from branchline._result_frame import Library, result_frame
from branchline.assess.theory._bias_variance import BiasVariance, bias_variance_by_simulation
from branchline.assess.theory._class_bias_variance import (
    ClassBiasVariance,
    class_bias_variance_by_simulation,
)
from branchline.assess.theory._known_classes import KnownClasses
from branchline.assess.theory._known_function import KnownFunction
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["BiasVarianceCurve", "bias_variance_curve"]

_ROWS, _NOISE, _TRUTH = "rows", "noise", "bayes_complexity"
Problem = KnownFunction | KnownClasses
Parts = BiasVariance | ClassBiasVariance


@dataclass(frozen=True)
class BiasVarianceCurve(Drawable):
    """The parts of the error at each value of one thing.

    Parameters
    ----------
    over
        What varies: "rows", "noise", "bayes_complexity", or a parameter of the learner.
    values
        The values it took.
    parts
        The decomposition at each value.

    See Also
    --------
    bias_variance_curve

    Examples
    --------
    >>> from branchline.assess.theory import bias_variance_curve, sine_function
    >>> from branchline.tree import DecisionTreeRegressor
    >>> tree, wave = DecisionTreeRegressor(prune=None), sine_function(noise_variance=0.5)
    >>> options = {"n_rows": 50, "n_sets": 5, "n_cases": 100}
    >>> len(bias_variance_curve(tree, wave, over="max_depth", values=[1, 5], **options).parts)
    2
    """

    over: str
    values: tuple[Any, ...]
    parts: tuple[Parts, ...]

    @property
    def best(self) -> Any:
        """The value with the least error."""
        errors = [part.error for part in self.parts]
        return self.values[errors.index(min(errors))]

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_bias_variance

        return draw_bias_variance(self)

    def to_text(self) -> str:
        """Return a line for each value."""
        width = max(len(self.over), *(len(str(value)) for value in self.values))
        lines = [f"{self.over:>{width}}  {'error':>9} {'bias²':>9} {'noise':>9} {'variance':>9}"]
        for value, part in zip(self.values, self.parts, strict=True):
            cells = (part.error, part.bias2, part.noise, part.variance)
            numbers = " ".join(f"{number(cell):>9}" for cell in cells)
            lines.append(f"{value!s:>{width}}  {numbers}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each value, as a frame of pandas or polars."""
        columns: dict[str, list[Any]] = {self.over: list(self.values)}
        for name in self.parts[0].to_dict():
            columns[name] = [part.to_dict()[name] for part in self.parts]
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as data, for a plot of your own."""
        points = zip(self.values, self.parts, strict=True)
        return {
            "over": self.over,
            "points": [{"at": value, **part.to_dict()} for value, part in points],
        }


def bias_variance_curve(
    model: Any,
    problem: Problem | Callable[[Any], Problem],
    *,
    over: str,
    values: Sequence[Any],
    n_rows: int = 500,
    **options: Any,
) -> BiasVarianceCurve:
    """Return how bias² and variance change with the model, the truth, the noise or the rows.

    Parameters
    ----------
    model
        An estimator; a classifier where the problem is one of classes.
    problem
        A ``KnownFunction`` or ``KnownClasses``; over "bayes_complexity", a function that makes one
        of each value.
    over
        "rows" (of a learning set), "noise" (the variance of the noise), "bayes_complexity" (of the
        truth that is learned), or the name of a parameter of the learner, such as
        "max_leaf_nodes".
    values
        The values it takes, in the order of the plot.
    n_rows
        The number of rows of a learning set. Default 500.
    **options
        Other parameters of ``bias_variance_by_simulation``. The draws are the same at every value,
        so that differences along the curve are not due to chance.

    See Also
    --------
    BiasVarianceCurve : the parts of the error at each value of one thing.

    Examples
    --------
    >>> from branchline.assess.theory import bias_variance_curve, sine_function
    >>> from branchline.tree import DecisionTreeRegressor
    >>> tree, wave = DecisionTreeRegressor(prune=None), sine_function(noise_variance=0.5)
    >>> options = {"n_rows": 100, "n_sets": 10, "n_cases": 200}
    >>> curve = bias_variance_curve(tree, wave, over="max_leaf_nodes", values=[2, 8, 60], **options)
    >>> curve.best
    8
    """
    if len(values) == 0 or not isinstance(over, str):
        raise _cannot_vary(over, "needs a name and at least one value")
    _check_problem(problem, over)
    parts: list[Parts] = []
    for value in values:
        tried, drawn, rows = model, problem, n_rows
        if over == _ROWS:
            rows = value
        elif over == _NOISE:
            drawn = replace(problem, noise_variance=value)  # type: ignore[type-var]
        elif over == _TRUTH:
            drawn = problem(value)  # type: ignore[operator]
        else:
            tried = _with(model, over, value)
        decompose: Any = bias_variance_by_simulation
        if isinstance(drawn, KnownClasses):
            decompose = class_bias_variance_by_simulation
        parts.append(decompose(tried, drawn, n_rows=rows, **options))
    return BiasVarianceCurve(over, tuple(values), tuple(parts))


def _check_problem(problem: Any, over: str) -> None:
    if over == _TRUTH and (
        isinstance(problem, KnownFunction | KnownClasses) or not callable(problem)
    ):
        raise _cannot_vary(over, "needs a function that makes a problem of each value")
    if over == _NOISE and not isinstance(problem, KnownFunction):
        raise _cannot_vary(over, "needs a KnownFunction, whose noise is a number")


def _with(learner: Any, name: str, value: Any) -> Any:
    if not hasattr(learner, "get_params") or name not in learner.get_params():
        raise _cannot_vary(name, "is not a parameter of the learner")
    return clone(learner).set_params(**{name: value})


def _cannot_vary(over: Any, what: str) -> ParameterError:
    return ParameterError(
        "A curve runs over 'rows', 'noise', 'bayes_complexity' or a parameter of the learner; "
        f"{over!r} {what}.",
        code="P122",
        values=[over],
        repair=Repair("bias_variance_curve(model, problem, over='rows', values=[50, 200, 800])"),
    )
