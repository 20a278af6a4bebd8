"""Forward stagewise regression: fit the residual, one small step of one term at a time.

1. Terms and target are scaled to standard deviation 1.
2. The term that correlates best with the residual moves by a small step (``_stagewise_path``).
3. The number of steps is chosen by cross-validation: few steps leave most columns out and all
   weights small, as the lasso does.
4. The weights after that many steps are the model.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._encoding._encoded import ENCODER
from branchline._one_thread import one_thread
from branchline._plain_numbers import count, number
from branchline._size_rule import RULE
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._cv_curve import choose
from branchline.linear._regressor import LinearRegressor, RegressionProblem, problem_of
from branchline.linear._stagewise_path import Steps, Walk, cross_validate_steps, standardized
from branchline.table import Schema

__all__ = ["ForwardStagewise"]

_TERM = np.dtype(np.int32)


class ForwardStagewise(LinearRegressor):
    """Predict a number by a weighted sum that grows in small steps.

    Each step changes the weight of one term, the one that reduces the residual most. The path shows
    in which order columns enter the model. With small steps it is close to the path of ``Lasso``,
    also when columns far outnumber rows.

    Use it to study how a model grows; ``Lasso`` is faster and predicts as well.

    Parameters
    ----------
    step
        How far a weight moves at a time: for "incremental", in standard deviations of the target
        for each standard deviation of the term; for "boost", as a share of the term's own
        least-squares weight for the residual (1 is forward stagewise fitting in full, 0.1 is
        usual for boosting). Smaller steps take longer and generalize a little better. Default 0.01.
    method
        "incremental" (default): all steps are equally long. "boost": each step is a share of the
        term's least-squares coefficient for the residual (L2 boosting).
    n_steps
        How many steps are taken; "auto" (default): by cross-validation.
    rule
        Which number of steps is taken. "best" (default): the one with the lowest cross-validated
        error. "one_se": the fewest steps with an error within one standard error of it.
    max_steps
        Maximum number of steps that "auto" tries. Default 5000.
    n_folds
        Number of folds for cross-validation. Default 5.
    basis
        None (default): the columns as they are. "polynomial" or "rbf": curves and interactions.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.

    Attributes
    ----------
    n_steps_
        How many steps were taken.
    step_terms_, step_amounts_
        Which term moved at each step, and by how much, in standard deviations of the target for
        one of the term.
    cv_error_
        The squared error on rows left out after each number of steps from 0 on, as a share of the
        target's variance; empty when ``n_steps`` was given.
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    Lasso : predict a number by a weighted sum of a few columns.
    SubsetSelection : predict a number by least squares on a subset of the columns.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import ForwardStagewise
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = ForwardStagewise(n_steps=100).fit(X, y)
    >>> model.order_[:3]
    ('weight', 'cylinders=4', 'horsepower')
    >>> round(model.score(X, y), 2)
    0.78
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "step": Real(0, 1, low_open=True),
        "method": OneOf(("incremental", "boost")),
        "n_steps": AnyOf((OneOf(("auto",)), Whole(0, 10_000_000))),
        "rule": RULE,
        "max_steps": Whole(1, 10_000_000),
        "n_folds": Whole(2, 1000),
        "basis": BASIS,
        "encoder": ENCODER,
    }
    _opposite = "branchline.linear.LogisticRegression"
    n_steps_: int
    step_terms_: npt.NDArray[np.int32]
    step_amounts_: Floats
    cv_error_: Floats

    def __init__(
        self,
        *,
        step: float = 0.01,
        method: str = "incremental",
        n_steps: int | str = "auto",
        rule: Any = "best",
        max_steps: int = 5000,
        n_folds: int = 5,
        basis: BasisExpansion | str | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.step = step
        self.method = method
        self.n_steps = n_steps
        self.rule = rule
        self.max_steps = max_steps
        self.n_folds = n_folds
        self.basis = basis
        self.encoder = encoder

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take the steps; a row of weight k counts as k rows."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        problem = problem_of(rows)
        n_steps, errors = self._choose_steps(problem)
        walk = standardized(problem)
        steps = _take_steps(walk, float(self.step), self.method, n_steps)
        weights = _weights(walk, steps)
        bias = np.array([walk.y_mean]) - weights @ walk.mean
        return self._finish(
            data,
            encoding_=rows.encoding,
            **problem.scaled_back(weights, bias),
            n_steps_=len(steps.terms),
            step_terms_=steps.terms,
            step_amounts_=steps.amounts,
            cv_error_=errors,
        )

    def _choose_steps(self, problem: RegressionProblem) -> tuple[int, Floats]:
        if not isinstance(self.n_steps, str):
            return int(self.n_steps), np.zeros(0)
        most, n_folds = int(self.max_steps), int(self.n_folds)
        curve = cross_validate_steps(problem, float(self.step), self.method, most, n_folds)
        return choose(curve, self.rule), curve.error

    @property
    def order_(self) -> tuple[str, ...]:
        """The terms in the order in which they came in."""
        self._check_fitted()
        names = [term.name for term in self.encoding_.terms]
        return tuple(dict.fromkeys(names[place] for place in self.step_terms_))

    def to_text(self) -> str:
        """Return the model as text: a line for each term that moved, in the order they came in."""
        self._check_fitted()
        listed = self.coefficients()
        by_name = {row.term: row for row in listed.rows}
        moved = tuple(by_name[name] for name in self.order_)
        steps = f"{count(self.n_steps_, 'step')} of {number(self.step)} ({self.method})"
        head = f"{steps}, in the order of coming in"
        return f"{head}\n{type(listed)(moved, listed.intercepts)}"

    def _pack(self) -> FittedState:
        return {
            **self._sums.pack(),
            "step_terms": self.step_terms_,
            "step_amounts": self.step_amounts_,
            "cv_error": self.cv_error_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        terms = array_from_state(state, "step_terms", _TERM)
        if ((terms < 0) | (terms >= fitted["encoding_"].width)).any():
            raise malformed("a step moves a term that is not there")
        amounts = numbers_from_state(state, "step_amounts", length=len(terms))
        errors = array_from_state(state, "cv_error", np.dtype(np.float64))
        if not np.isfinite(errors).all() or (errors < 0).any():
            raise malformed("'cv_error' has values out of range")
        return fitted | {
            "n_steps_": len(terms),
            "step_terms_": terms,
            "step_amounts_": amounts,
            "cv_error_": errors,
        }


def _take_steps(walk: Walk, size: float, method: str, n_steps: int) -> Steps:
    taken = list(walk.steps(size, method, n_steps))
    terms = np.array([place for place, _ in taken], dtype=_TERM)
    return Steps(terms, np.array([amount for _, amount in taken], dtype=np.float64))


def _weights(walk: Walk, steps: Steps) -> Floats:
    """Return the weights after all steps for terms as encoded, in a row."""
    moved = steps.weights(len(steps.terms), len(walk.mean)) * walk.unit
    return np.divide(moved, walk.spread, out=np.zeros(len(moved)), where=walk.spread > 0)[None]
