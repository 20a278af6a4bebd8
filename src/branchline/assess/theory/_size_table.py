"""The table of structural risk: sizes, what rules say of them, and what their choices are worth."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._plain_numbers import count, number
from branchline._plain_text import pad
from branchline._result_frame import Library, result_frame
from branchline._validation import OneOf, check_parameters

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["SizeChoice", "SizeStep", "StructuralRisk"]

_HEADS = ("h", "training", "confidence", "VC bound", "AIC", "BIC", "MDL bits")
_NUMBERS = ("h", "risk", "confidence", "bound", "aic", "bic", "mdl")


@dataclass(frozen=True)
class SizeStep:
    """One size of a hierarchy.

    Parameters
    ----------
    size
        The degree, the number of leaves or inputs, or C.
    n_parameters
        The number of fitted parameters; None where no likelihood was maximized.
    h
        The VC dimension, or an upper bound of it.
    risk, confidence, bound
        The training error, what is added for the richness of the model, and their sum.
    aic, bic, mdl
        The information criteria, and the description length in bits; NaN without a likelihood.
    cv
        The cross-validated error with its 95 % interval.

    See Also
    --------
    StructuralRisk
    structural_risk

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import structural_risk
    >>> found = structural_risk(load_dataset("iris"), "species", along="leaves", sizes=[1, 3])
    >>> round(found.steps[0].risk, 2)
    0.67
    """

    size: Any
    n_parameters: int | None
    h: float
    risk: float
    confidence: float
    bound: float
    aic: float
    bic: float
    mdl: float
    cv: Interval


@dataclass(frozen=True)
class SizeChoice:
    """What a rule chooses.

    Parameters
    ----------
    rule
        "vc", "aic", "bic", "mdl" or "cv".
    size
        The size it chooses on all rows.
    error
        The error of this way of choosing on new rows, with its 95 % interval: in every fold the
        size was chosen anew, without the rows it is tested on.
    sizes_in_folds
        The size that it chose in each fold.

    See Also
    --------
    StructuralRisk : ``choice`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import structural_risk
    >>> found = structural_risk(load_dataset("iris"), "species", along="leaves", sizes=[1, 3])
    >>> [choice.size for choice in found.choices]
    [3, 3, 3, 3, 3]
    """

    rule: str
    size: Any
    error: Interval
    sizes_in_folds: tuple[Any, ...]


@dataclass(frozen=True)
class StructuralRisk(Drawable):
    """Sizes of a hierarchy, what five rules say of them, and what their choices are worth.

    Parameters
    ----------
    along
        The hierarchy: "degree", "leaves", "inputs" or "margin".
    unit
        What a size counts.
    metric
        "error" for classes, "mse" for numbers.
    n_rows, n_folds, epsilon
        The number of rows, of folds, and how often the bounds may fail together.
    steps
        Each size with its criteria.
    choices
        What each rule chooses.
    notes
        What should be known of the table above.
    models
        The model of each size, fitted on all rows.

    See Also
    --------
    structural_risk

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import structural_risk
    >>> found = structural_risk(load_dataset("iris"), "species", along="leaves", sizes=[1, 3])
    >>> len(found.steps)
    2
    """

    along: str
    unit: str
    metric: str
    n_rows: int
    n_folds: int
    epsilon: float
    steps: tuple[SizeStep, ...]
    choices: tuple[SizeChoice, ...]
    notes: tuple[str, ...] = ()
    models: Mapping[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def choice(self, rule: str) -> SizeChoice:
        """Return what a rule chooses."""
        names = tuple(choice.rule for choice in self.choices)
        check_parameters("choice", {"rule": rule}, {"rule": OneOf(names)})
        return next(choice for choice in self.choices if choice.rule == rule)

    def model(self, rule: str = "cv") -> Any:
        """Return the model that a rule chooses, fitted on all rows."""
        found = self.models[self.choice(rule).size]
        return getattr(found, "model", found)

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_structural_risk

        return draw_structural_risk(self)

    def to_text(self) -> str:
        """Return both tables and the notes."""
        rows = [[self.unit, *_HEADS, f"{self.metric} by cross-validation"]]
        for step in self.steps:
            cells = [_cell(getattr(step, name)) for name in _NUMBERS]
            rows.append([number(step.size), *cells, str(step.cv)])
        rules = [["rule", f"chooses {self.unit}", f"{self.metric} on new rows", "in the folds"]]
        for choice in self.choices:
            sizes = ", ".join(number(size) for size in choice.sizes_in_folds)
            rules.append([choice.rule, number(choice.size), str(choice.error), sizes])
        head = (
            f"Structural risk along {self.along}: {count(self.n_rows, 'row')}, "
            f"{count(self.n_folds, 'fold')}"
        )
        return "\n".join([head, "", *_aligned(rows), "", *_aligned(rules), "", *self.notes])

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each size, with the rules that choose it."""
        columns: dict[str, list[Any]] = {"size": [step.size for step in self.steps]}
        for name in ("n_parameters", *_NUMBERS):
            columns[name] = [getattr(step, name) for step in self.steps]
        for end in ("estimate", "low", "high"):
            name = "cv" if end == "estimate" else f"cv_{end}"
            columns[name] = [getattr(step.cv, end) for step in self.steps]
        columns["chosen_by"] = [
            ", ".join(choice.rule for choice in self.choices if choice.size == step.size)
            for step in self.steps
        ]
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as data; those that do not exist or are infinite are None."""
        data = {name: getattr(self, name) for name in ("along", "unit", "metric", "n_rows")}
        data |= {"n_folds": self.n_folds, "epsilon": self.epsilon, "notes": list(self.notes)}
        data["steps"] = [_plain(asdict(step)) for step in self.steps]
        data["choices"] = [
            _plain({**asdict(choice), "sizes_in_folds": list(choice.sizes_in_folds)})
            for choice in self.choices
        ]
        return data


def _cell(value: float) -> str:
    return "–" if math.isnan(value) else number(value)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            pad(cell, width, right=place < len(row) - 1)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _plain(data: Any) -> Any:
    """Return data with None for numbers that JSON does not have."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
