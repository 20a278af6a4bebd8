"""A linear support vector classifier: the widest margin between classes, on any table.

1. The table is encoded; equal rows are merged, so that neither order nor copies matter.
2. For each sum (one for two classes, else one a class against the rest), with y = ±1:
   make ½‖w‖² + Σ_i C_i max(0, 1 − y_i (w·z_i + b))² least, or without the square. b is free.
3. A native solver finds w and b with a duality gap (``_linear_margin``).
4. Scores of rows left out (``_linear_leave_one_out``), found without fitting again, give the slopes
   by which scores become probabilities (``_sigmoid``).
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._class_sums import n_sums, versus
from branchline._class_weight import CLASS_WEIGHT, weigh_rows
from branchline._encoding._encoded import EncodedRows
from branchline._one_thread import one_thread
from branchline._plain_numbers import number
from branchline._row_space import narrow
from branchline._state import numbers_from_state
from branchline._validation import Constraint, OneOf, Real
from branchline.encoding import TableEncoder
from branchline.linear import BasisExpansion
from branchline.linear._linear_classifier import LinearClassifier
from branchline.linear._linear_sums import sums_of
from branchline.svm._linear_leave_one_out import leave_one_out
from branchline.svm._linear_margin import (
    PARAMETERS,
    Ends,
    MarginReport,
    Margins,
    find_margins,
    no_margins,
    warn_if_unfinished,
)
from branchline.svm._sigmoid import Sigmoid, fit_sigmoid, probabilities_of_margins
from branchline.table import Schema

__all__ = ["LinearSVC"]


class LinearSVC(LinearClassifier):
    """A linear support vector machine for two classes or more, with a certificate.

    The intercept is not penalized, unlike in liblinear. The fit reports how far it can be from the
    optimum (``gap_``).

    Parameters
    ----------
    C
        The price of rows on the wrong side of the margin, on scaled terms: smaller values give a
        wider margin with more rows inside. Default 1.0.
    loss
        "squared_hinge" (default; smooth, quick, steadier on few rows) or "hinge" (the classic
        machine: rows far on the wrong side pull less).
    class_weight
        How much rows of each class count: None (default; equally), "balanced" (so that classes
        count equally) or a mapping from classes to numbers.
    fit_intercept
        Whether there is a constant. Default True.
    solver
        "newton" (squared losses), "interior_point" (others), "descent" (dual coordinate descent)
        or "auto" (default): by the number of terms.
    tol
        The duality gap to be reached, as a share of the objective. Default 0.0001.
    max_iter
        Maximum number of steps of the solver (passes over the rows, for "descent"). Default 1000.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.
    basis
        Powers and products of terms ("polynomial"), or radial functions around typical rows
        ("rbf"), or a ``BasisExpansion``, for boundaries that bend; None (default): a straight one.
    random_state
        The seed of the order in which "descent" takes rows. Default 0.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    coef_, intercept_
        The scores in the units of the table; one row for two classes (of the second).
    margin_
        2 / ‖w‖, the width of the margin on scaled terms; one for each row of ``coef_``.
    objective_, gap_
        The objective, and by how much at most it is above the least possible; summed over classes.
    converged_, n_iter_, solver_
        Whether the gap is as small as asked for; the steps taken; how: "newton", "newton-cg",
        "interior_point", "descent", or "none" where there is one class.
    slopes_
        How steeply probabilities rise with scores: below 0 and above, for each row of ``coef_``.

    See Also
    --------
    SVC
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import LinearSVC
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = LinearSVC().fit(X, y)
    >>> model.converged_, round(model.score(X, y), 2)
    (True, 0.96)
    """

    _scores_decide = True  # probabilities never contradict them
    _constraints: ClassVar[dict[str, Constraint]] = {
        "C": Real(1e-12, 1e12),
        "loss": OneOf(("squared_hinge", "hinge")),
        "class_weight": CLASS_WEIGHT,
        **PARAMETERS,
    }
    _opposite = "branchline.svm.LinearSVR"
    solver_: str
    n_iter_: int
    objective_: float
    gap_: float
    converged_: bool
    slopes_: Floats

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        C: float = 1.0,
        loss: str = "squared_hinge",
        class_weight: Any = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        encoder: TableEncoder | None = None,
        basis: BasisExpansion | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.encoder = encoder
        self.basis = basis
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights; rows of weight k count as k copies."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        is_positive = _positive(rows)
        if data.class_target.n_classes == 1:
            margins = no_margins(1, len(rows.class_of_row), rows.encoding.width)
            slopes = np.ones((1, 2))
        else:
            ends = self._ends(rows, is_positive)
            # Products of rows are all that counts, so a wide table is turned into fewer terms.
            matrix, lift = narrow(rows.matrix)
            margins = find_margins(self, matrix, ends)
            slopes = self._slopes(replace(rows, matrix=matrix), is_positive, ends, margins)
            margins = replace(margins, weights=lift(margins.weights))
        warn_if_unfinished(margins.report, float(self.tol))
        return self._finish(
            data,
            classes_=data.class_target.classes,
            encoding_=rows.encoding,
            weights_=margins.weights,
            bias_=margins.bias,
            slopes_=slopes,
            **margins.report.attributes(),
        )

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``.

        They come from scores of training rows that were left out, and never contradict
        ``decision_function``: the class of the largest score has the largest probability.
        """
        scores = self._scores(X)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        return probabilities_of_margins(scores, [Sigmoid(*pair) for pair in self.slopes_.tolist()])

    @property
    def margin_(self) -> Any:
        """The width of the margin on scaled terms, 2 / ‖w‖; infinite where all weights are 0."""
        self._check_fitted()
        with np.errstate(divide="ignore"):
            widths = 2 / np.sqrt((self.weights_**2).sum(axis=1))
        return float(widths[0]) if len(widths) == 1 else widths

    # -- learning -------------------------------------------------------------------------------

    def _ends(self, rows: EncodedRows, is_positive: Any) -> Ends:
        assert rows.weights is not None
        target = rows.class_target
        penalty = float(self.C) * weigh_rows(rows.weights, target, self.class_weight)
        lower = np.where(is_positive, 1.0, -np.inf)
        upper = np.where(is_positive, np.inf, -1.0)
        return Ends(lower, upper, np.broadcast_to(penalty, lower.shape))

    @one_thread
    def _slopes(self, rows: EncodedRows, is_positive: Any, ends: Ends, margins: Margins) -> Floats:
        """Return the slopes of each output's sigmoid, from scores of rows left out."""
        assert rows.weights is not None
        scores = sums_of(rows.matrix, margins.weights, margins.bias)
        slopes = []
        for at, positive in enumerate(is_positive):
            known = scores[:, at], margins.dual[at], ends.penalty[at], rows.weights
            missed = 1 - np.where(positive, 1.0, -1.0) * scores[:, at]
            left = leave_one_out(rows.matrix, *known, missed if self.loss == "hinge" else None)
            weights = rows.weights[left.rows] * left.stands_for
            fitted = fit_sigmoid(left.scores, positive[left.rows], weights)
            slopes.append([fitted.slope_below, fitted.slope_above])
        return np.array(slopes)

    # -- reading and saving ---------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient, the margin and the certificate."""
        margin = ", ".join(number(width) for width in np.atleast_1d(self.margin_))
        report = MarginReport.from_attributes(self).words()
        return f"{super().to_text()}\nscores; margin {margin}; {report}"

    def _about(self, best: int, second: int) -> str:
        return versus("score", self.classes_, best, second)

    def _pack(self) -> FittedState:
        report = dict(MarginReport.from_attributes(self).pack())
        return {**super()._pack(), "report": report, "slopes": self.slopes_.ravel()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        n_slopes = 2 * n_sums(len(fitted["classes_"]))
        slopes = numbers_from_state(
            state, "slopes", length=n_slopes, low=float(np.nextafter(0.0, 1.0))
        )
        report = MarginReport.unpack(state.get("report"))
        return {**fitted, **report.attributes(), "slopes_": slopes.reshape(-1, 2)}


def _positive(rows: EncodedRows) -> Any:
    """Return whether each row is of the positive class of each sum: one row per sum."""
    n_classes = rows.class_target.n_classes
    places = np.arange(n_classes) if n_classes > 2 else np.array([n_classes - 1])
    return rows.class_of_row == places[:, None]
