"""Logistic and softmax regression: log-odds that are a sum over the columns.

1. The table is encoded; equal rows are merged, so that the order of rows does not matter.
2. C, the strength of the penalty, is given or chosen by cross-validation (``_logistic_strength``).
3. scikit-learn solves the problem, by the solver that suits its shape (``_logistic_solver``); a
   large table is passed over in blocks of rows (``_logistic_blocks``).
4. Without a penalty, separated classes have no best coefficients (``_separation``): the fit says
   so, and a faint penalty gives finite ones.
5. Standard errors come from the Fisher information (``_wald``).
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._class_sums import n_sums
from branchline._class_weight import CLASS_WEIGHT, weigh_rows
from branchline._encoding._encoded import ENCODER, EncodedRows
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._plain_numbers import number
from branchline._size_rule import RULE, accepted_errors
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole, check_seed
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError, Repair
from branchline.linear._basis import BASIS, BasisExpansion, ExpandedEncoding
from branchline.linear._linear_classifier import LinearClassifier
from branchline.linear._linear_sums import table_units
from branchline.linear._logistic_blocks import drawn_problem, needs_start, solve_in_blocks
from branchline.linear._logistic_report import FitReport
from branchline.linear._logistic_solver import (
    SoftmaxProblem,
    Solution,
    choose_solver,
    solve,
    warn_if_unfinished,
)
from branchline.linear._logistic_strength import StrengthPath, choose_strength
from branchline.linear._logistic_wide import narrowed
from branchline.linear._odds_ratios import OddsRatios, odds_ratios_of
from branchline.linear._separation import is_separated, warn_of_separation
from branchline.linear._wald import standard_errors
from branchline.table import Schema

__all__ = ["LogisticRegression"]

_L1_SHARE = {None: 0.0, "l2": 0.0, "l1": 1.0}
_FAINT = 1e4  # C where classes are separated and no penalty was wanted
_NORMAL_97_5 = 1.959963984540054


class LogisticRegression(LinearClassifier):
    """Logistic regression for two classes, softmax regression for more, on any table.

    Numbers are scaled, categories become indicators, missing values are filled and marked: nothing
    has to be encoded by hand. The log-odds of a class are a sum over the columns, which can be read
    (``coefficients``, ``odds_ratios``) and explained exactly (``explain``).

    Parameters
    ----------
    penalty
        What keeps weights small: "l2" (default; all a little), "l1" (many exactly 0: the model
        uses few terms), "elastic_net" (a mixture), or None (maximum likelihood, with reference
        coding and proper confidence intervals; needs many more rows than terms).
    C
        The inverse strength of the penalty, on scaled terms: smaller penalizes more, as in
        scikit-learn. "auto" (default): chosen by cross-validation.
    l1_ratio
        The share of L1 in "elastic_net". Default 0.5.
    class_weight
        How much rows of each class count: None (default; equally), "balanced" (so that classes
        count equally; for rare classes that matter) or a mapping from classes to numbers.
        Probabilities and intervals are then those of the weighted rows.
    n_folds
        The number of folds by which C="auto" is chosen. Default 5.
    rule
        Which penalty C="auto" takes. "best" (default): the one of the least cross-validated loss.
        "one_se": the strongest one whose loss is within one standard error of the least, which
        gives a simpler model. A number: within that many standard errors.
    max_iter
        Maximum number of steps of the solver. It stops much earlier, once the gradient vanishes.
        Default 10000.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder`` (without a
        penalty, the most frequent category of a column has no indicator).
    basis
        Powers and products of terms ("polynomial"), or radial functions around typical rows
        ("rbf"), or a ``BasisExpansion``, for boundaries that bend; None (default): a straight one.
    random_state
        The seed of the solver of L1 penalties, which takes rows at random. Default 0.

    Attributes
    ----------
    classes_
        The classes, sorted.
    coef_, intercept_
        The sum in the units of the table; one row for two classes (log-odds of the second).
    C_
        The C that was used; infinite without a penalty.
    strength_path_
        What cross-validation found for each C; None when C was given.
    solver_, solver_reason_
        scikit-learn's solver that was used, and why.
    n_iter_, gradient_norm_
        The steps it took, and the largest entry of the gradient that was left. On a large table,
        the steps on all rows.
    is_separated_
        Whether the classes are perfectly separated (penalty=None). Then the maximum-likelihood
        coefficients are infinite; those given come from a very weak penalty, C = 10 000.
    standard_errors_
        Of each weight; None for L1 and elastic-net penalties, for separated classes and for very
        many weights; NaN for a term that is a linear combination of others. With L2 they are
        approximate: the posterior spread for normal weights of variance C, on scaled terms.

    See Also
    --------
    LinearDiscriminantAnalysis
    HashedLogisticRegression : for streams and millions of names.
    LinearSVC

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import LogisticRegression
    >>> X, y = load_dataset("titanic").select(["sex", "age", "survived"]).split_target("survived")
    >>> model = LogisticRegression(penalty=None).fit(X, y)
    >>> print(model.odds_ratios())
    odds of yes against no, multiplied by:
      sex=female        11.212  [8.574, 14.66]
      age missing      0.56464  [0.3995, 0.798]
      age              0.99571  [0.9857, 1.006]
    in brackets: 95 % confidence interval
    >>> round(model.score(X, y), 2)
    0.78
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "penalty": OneOf(("l2", "l1", "elastic_net", None)),
        "C": AnyOf((OneOf(("auto",)), Real(1e-12, 1e12))),
        "l1_ratio": Real(0, 1),
        "class_weight": CLASS_WEIGHT,
        "n_folds": Whole(2, 1000),
        "rule": RULE,
        "max_iter": Whole(1),
        "encoder": ENCODER,
        "basis": BASIS,
    }
    _opposite = "branchline.linear.Ridge"
    _takes_blocks = True
    C_: float
    strength_path_: StrengthPath | None
    standard_errors_: Floats | None

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        penalty: str | None = "l2",
        C: float | str = "auto",
        l1_ratio: float = 0.5,
        class_weight: Any = None,
        n_folds: int = 5,
        rule: Any = "best",
        max_iter: int = 10_000,
        encoder: TableEncoder | None = None,
        basis: BasisExpansion | str | None = None,
        random_state: Any = 0,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.class_weight = class_weight
        self.n_folds = n_folds
        self.rule = rule
        self.max_iter = max_iter
        self.encoder = encoder
        self.basis = basis
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights; rows of weight k count as k copies."""
        data = self._begin(X, y, sample_weight)
        self._refuse_contradictions()
        rows = self._encode_training(data)
        whole = self._problem(rows)
        problem, widened = narrowed(whole)
        solver, reason = choose_solver(problem, is_turned=problem is not whole)
        drawn = None
        if isinstance(rows.matrix, EncodedBlocks) and solver != "none":
            chooses = self.penalty is not None and self.C == "auto"
            if chooses or needs_start(problem, solver):
                drawn = drawn_problem(problem, rows, self.class_weight)
        path = self._path(problem if drawn is None else drawn, solver)
        if path is not None:
            problem = replace(problem, strength=path.best(accepted_errors(self.rule)))
        solution = _solved(problem, solver, drawn)
        separated = bool(np.isinf(problem.strength)) and is_separated(problem, solution)
        if separated:
            problem = replace(problem, strength=_FAINT)
            warn_of_separation(_FAINT)
            solution = _solved(problem, solver, drawn)
        solution = widened(solution, problem.strength)
        problem = replace(whole, strength=problem.strength)
        warn_if_unfinished(solution, solver)
        # Coefficients of powers, in the units of the table, mix several weights.
        no_errors = separated or isinstance(rows.encoding, ExpandedEncoding)
        return self._finish(
            data,
            classes_=data.class_target.classes,
            encoding_=rows.encoding,
            weights_=solution.weights,
            bias_=solution.bias,
            strength_path_=path,
            standard_errors_=None if no_errors else standard_errors(problem, solution),
            **FitReport.of(problem, solution, solver, reason, separated).attributes(),
        )

    # -- learning -------------------------------------------------------------------------------

    @property
    def _default_encoder(self) -> TableEncoder:  # type: ignore[override]
        return TableEncoder(drop="most_frequent" if self.penalty is None else None)

    def _refuse_contradictions(self) -> None:
        if self.penalty is None and self.C != "auto":
            raise ParameterError(
                f"C={self.C} is the strength of a penalty, but penalty=None.",
                code="P015",
                values=[self.C],
                repair=Repair("model.set_params(penalty='l2')"),
            )

    def _problem(self, rows: EncodedRows) -> SoftmaxProblem:
        target, weights = rows.class_target, rows.weights
        assert weights is not None
        given = 1.0 if self.C == "auto" else float(self.C)
        chooses = self.penalty is not None and self.C == "auto"
        return SoftmaxProblem(
            matrix=rows.matrix,
            class_of_row=target.class_of_row,
            weights=weigh_rows(weights, target, self.class_weight),
            n_classes=target.n_classes,
            strength=np.inf if self.penalty is None else given,
            l1_share=_L1_SHARE.get(self.penalty, float(self.l1_ratio)),
            max_iter=int(self.max_iter),
            seed=check_seed(self.random_state),
            folds=rows.folds if chooses and not isinstance(rows.matrix, EncodedBlocks) else None,
        )

    def _path(self, problem: SoftmaxProblem, solver: str) -> StrengthPath | None:
        if self.penalty is None or self.C != "auto" or solver == "none":
            return None
        if isinstance(problem.matrix, EncodedBlocks):
            return None
        solver = choose_solver(problem)[0]  # rows that were drawn may have another
        return choose_strength(problem, solver, int(self.n_folds))

    # -- reading --------------------------------------------------------------------------------

    def odds_ratios(self) -> OddsRatios:
        """Return by what one unit of each term multiplies the odds of a class.

        For two classes, the odds of the second against the first; for more, of each class against
        the geometric mean of all.
        """
        self._check_fitted()
        against = str(self.classes_[0]) if len(self.classes_) == 2 else "the mean of all classes"
        kind = "95 % confidence interval"
        if self.penalty is not None:
            kind = "approximate 95 % interval of penalized weights"
        return odds_ratios_of(
            self.coefficients(), against, None if self._intervals() is None else kind
        )

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient, and how it was found."""
        path = "" if self.strength_path_ is None else " (chosen by cross-validation)"
        how = (
            "no penalty"
            if np.isinf(self.C_)
            else f"penalty {self.penalty}, C = {number(self.C_)}{path}"
        )
        about = ""
        if self.standard_errors_ is not None:
            about = "; in brackets: 95 % intervals" + ("" if np.isinf(self.C_) else ", approximate")
        return f"{super().to_text()}\nlog-odds; {how}{about}"

    def _intervals(self) -> Floats | None:
        if self.standard_errors_ is None:
            return None
        to_table, _ = table_units(self.encoding_)
        center = self._sums.original_weights()
        with np.errstate(over="ignore", invalid="ignore"):
            half = _NORMAL_97_5 * np.asarray(self.standard_errors_ @ abs(to_table))
            return np.stack([center - half, center + half], axis=2)

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        path, errors = self.strength_path_, self.standard_errors_
        return {
            **super()._pack(),
            "report": FitReport.from_attributes(self).pack(),
            "path": None if path is None else dict(path.pack()),
            "standard_errors": errors,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        path = state.get("path")
        errors = state.get("standard_errors")
        shape = (n_sums(len(fitted["classes_"])), fitted["encoding_"].width)
        if errors is not None:
            _check_errors(errors, shape)
        return {
            **fitted,
            **FitReport.unpack(state.get("report")).attributes(),
            "strength_path_": None if path is None else StrengthPath.unpack(path),
            "standard_errors_": errors,
        }


def _solved(problem: SoftmaxProblem, solver: str, drawn: SoftmaxProblem | None) -> Solution:
    """Return the solution; that of a large table begins where rows drawn from it end."""
    if isinstance(problem.matrix, EncodedBlocks) and solver != "none":
        return solve_in_blocks(problem, solver, drawn)
    return solve(problem, solver)


def _check_errors(errors: Any, shape: tuple[int, int]) -> None:
    is_table = isinstance(errors, np.ndarray) and errors.dtype == np.float64
    if not is_table or errors.shape != shape:
        raise malformed("the standard errors are not a table of numbers, one a weight")
    if np.isinf(errors).any() or (errors < 0).any():
        raise malformed("a standard error is below 0 or infinite")
