"""Five estimates of the error against the number of inputs kept, on a table of pure noise.

1. Inputs are ranked by the size of their t between two classes; the first m are kept.
2. Training error: the model on its own rows.
3. Internal leave-one-out: inputs are chosen once, on all rows; then rows are left out one by one.
4. External 10-fold: inputs are chosen anew within every training set.
5. .632+: bootstrap samples, inputs chosen anew within each, judged on the rows left out.
6. Test error: on rows that nothing has seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._result_frame import Library, result_frame
from branchline._validation import Whole, check_parameters, check_seed
from branchline.assess import bootstrap_error, no_information_error
from branchline.bayes import NaiveBayes
from branchline.errors import ParameterError, Repair
from branchline.reproduce._noise_tables import Wholes, best_t, draw_noise, fold_of_rows

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["SIZES", "SelectionCurve", "check_sizes", "selection_curve"]

SIZES = (1, 2, 5, 10, 20, 50, 100)
_KINDS = ("training", "internal leave-one-out", "external 10-fold", ".632+", "test")


@dataclass(frozen=True)
class SelectionCurve(Drawable):
    """Estimates of the error, for each number of inputs kept.

    Parameters
    ----------
    n_kept
        The numbers of inputs.
    errors
        For each kind of estimate, its value at each number.

    See Also
    --------
    selection_curve
    table_selection_curve

    Examples
    --------
    >>> from branchline.reproduce import SelectionCurve
    >>> SelectionCurve((1, 2), {"inside the folds": (0.4, 0.5)}).errors["inside the folds"][1]
    0.5
    """

    n_kept: tuple[int, ...]
    errors: dict[str, tuple[float, ...]]

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_selection

        return draw_selection(self)

    def to_text(self) -> str:
        """Return a line for each number of inputs."""
        lines = ["inputs  " + "  ".join(self.errors)]
        for place, count in enumerate(self.n_kept):
            cells = (f"{values[place]:{len(name)}.3f}" for name, values in self.errors.items())
            lines.append(f"{count:6d}  " + "  ".join(cells))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each number of inputs, as a frame of pandas or polars."""
        return result_frame({"n_kept": list(self.n_kept), **self.errors}, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as data, for a plot of your own."""
        errors = {name: list(values) for name, values in self.errors.items()}
        return {"n_kept": list(self.n_kept), "errors": errors}


def selection_curve(
    sizes: Sequence[int] = SIZES,
    *,
    model: Any = None,
    n_rows: int = 50,
    n_inputs: int = 1000,
    n_samples: int = 20,
    random_state: Any = 0,
) -> SelectionCurve:
    """Return five estimates of the error on pure noise, against the number of inputs kept.

    The truth is one half. Choosing inputs on all rows leads to believing the second column.

    Parameters
    ----------
    sizes
        The numbers of inputs that are kept. Default (1, 2, 5, 10, 20, 50, 100).
    model
        A classifier; None (default): naive Bayes.
    n_rows, n_inputs
        The table of noise. Defaults 50, 1000.
    n_samples
        Bootstrap samples of .632+. Default 20.
    random_state
        The seed. Default 0.

    See Also
    --------
    SelectionCurve : estimates of the error, for each number of inputs kept.

    Examples
    --------
    >>> from branchline.reproduce import selection_curve
    >>> curve = selection_curve([10], n_rows=30, n_inputs=300, n_samples=3)
    >>> curve.errors["internal leave-one-out"][0] < 0.3 < curve.errors["external 10-fold"][0]
    True
    """
    counts = {"n_rows": n_rows, "n_inputs": n_inputs, "n_samples": n_samples}
    rules = {"n_rows": Whole(10), "n_inputs": Whole(1), "n_samples": Whole(2)}
    check_parameters("selection_curve", counts, rules)
    check_sizes(sizes, n_inputs)
    rng = np.random.default_rng(check_seed(random_state))
    X, y = draw_noise(n_rows, n_inputs, rng)
    work = _Work(NaiveBayes() if model is None else model, X, y, fold_of_rows(y, 10, rng))
    fresh, labels = draw_noise(1000, n_inputs, rng)
    samples = [rng.integers(n_rows, size=n_rows) for _ in range(n_samples)]
    rows = [work.estimates(int(size), fresh, labels, samples) for size in sizes]
    columns = zip(*rows, strict=True)
    return SelectionCurve(
        tuple(int(size) for size in sizes), dict(zip(_KINDS, columns, strict=True))
    )


def check_sizes(sizes: Sequence[int], n_inputs: int) -> None:
    """Refuse numbers of inputs that there are not."""
    rule = Whole(1, n_inputs)
    wrong = [size for size in sizes if not rule.allows(size)]
    if wrong or len(sizes) == 0:
        raise ParameterError(
            f"sizes are whole numbers from 1 to the number of inputs, {n_inputs}. Got {sizes!r}.",
            code="P122",
            values=wrong,
            repair=Repair("selection_curve([1, 10, 100])"),
        )


@dataclass(frozen=True, eq=False)
class _Work:
    """A table of noise, a model, and the fold of each row."""

    model: Any
    X: Floats
    y: Wholes
    fold: Wholes

    def estimates(
        self, size: int, fresh: Floats, labels: Wholes, samples: Sequence[Wholes]
    ) -> tuple[float, ...]:
        """Return the five estimates for ``size`` inputs."""
        every = np.arange(len(self.y))
        chosen = best_t(self.X, self.y, size)
        fitted = clone(self.model).fit(self.X[:, chosen], self.y)
        predicted = fitted.predict(self.X[:, chosen])
        training = float((predicted != self.y).mean())
        internal = [self._says(every != row, every == row, chosen) for row in every]
        parts = [self._says(self.fold != part, self.fold == part, size) for part in range(10)]
        test = float((fitted.predict(fresh[:, chosen]) != labels).mean())
        chance = no_information_error(self.y, predicted, 2)
        plus = bootstrap_error(self._left_out(size, samples), training, chance).error_632_plus
        wrong_inside, wrong_outside = (
            float(np.concatenate(found).mean()) for found in (internal, parts)
        )
        return training, wrong_inside, wrong_outside, plus, test

    def _says(self, train: Any, test: Any, choice: Any) -> Any:
        """Return which test rows are predicted wrongly; a number chooses inputs on ``train``."""
        X, y = self.X[train], self.y[train]
        if len(self.X[test]) == 0:
            return np.zeros(0, dtype=bool)
        chosen = best_t(X, y, choice) if isinstance(choice, int) else choice
        fitted = clone(self.model).fit(X[:, chosen], y)
        return fitted.predict(self.X[test][:, chosen]) != self.y[test]

    def _left_out(self, size: int, samples: Sequence[Wholes]) -> float:
        """Return the error on rows left out, averaged for each row over samples, then over rows."""
        wrong, count = np.zeros(len(self.y)), np.zeros(len(self.y))
        for drawn in samples:
            # A sample of one class, or with one row of a class, has no t.
            if np.bincount(self.y[drawn], minlength=2).min() < 2:
                continue
            rest = np.setdiff1d(np.arange(len(self.y)), drawn)
            wrong[rest] += self._says(drawn, rest, size)
            count[rest] += 1
        judged = count > 0
        return float((wrong[judged] / count[judged]).mean())
