"""Naive Bayes on tables as they are: numbers, categories, dates, missing values.

A class c with prior p(c) has the score log p(c) + w Σ_j log p(x_j | c): within a class, columns are
taken to be independent.

1. Count (``_tally``): weights of classes and categories, exact sums of numbers and of squares, how
   often values occur. Tallies are whole numbers; those of batches add up to that of all rows.
2. Categories become frequencies (``_frequencies``), numbers become densities (``_densities``).
3. Scores are added up in logarithms, row by row (``_joint``); a missing value adds nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Complexity, FittedState, reports_progress
from branchline._explanation import Explanation, in_order_of_size
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._validation import AnyOf, Given, OneOf, Real, Whole
from branchline.bayes._batches import LearnsInBatches
from branchline.bayes._joint import (
    Evidence,
    joint_scores,
    most_probable,
    per_unit,
    posterior,
    row_blocks,
)
from branchline.bayes._model import Settings, evidence_of
from branchline.bayes._summary import summarize
from branchline.bayes._tally import NumberTally, Tally
from branchline.bayes._tally_state import pack_tally, unpack_tally
from branchline.bayes._terms import CategoryTerm, SilentTerm, Term
from branchline.bayes._text import model_text
from branchline.errors import ParameterError
from branchline.table import Schema, Table

__all__ = ["NaiveBayes"]


class NaiveBayes(LearnsInBatches):
    """Predict the class by naive Bayes: numbers, categories, dates, missing values, batches.

    Each column by itself gives the probability of its value in each class. These probabilities are
    multiplied with the prior probabilities of the classes. A missing value, or a category that was
    not in the training rows, is left out for that row. Training is fast and needs few rows, also
    with many columns. Columns that repeat each other make its probabilities too extreme (see
    ``column_weight``).

    Parameters
    ----------
    numeric
        The distribution of a numeric column (dates count in days) within each class. "kernel": a
        kernel density estimate, the most accurate choice on most tables. "gaussian": a normal
        distribution with the mean and the standard deviation of the class; the fastest choice.
        "binned": frequencies of intervals of about equal weight. "auto": for each column, the one
        of the three with the best leave-one-out log loss of that column alone. None (default):
        "gaussian" for tables with at least 1 000 columns and more than ten columns per row, where
        it was more accurate in our measurements and a hundred times faster; "kernel" for all other
        tables.
    alpha
        Smoothing of category frequencies. "auto" (default): m rows with the column's overall
        frequencies are added to each class; m is chosen for each column by its leave-one-out log
        loss. A column of names that occur once or twice then has almost no influence. A number: the
        number of rows that is added to every category of every class (1 is Laplace's rule).
    priors
        Prior probabilities of the classes: "frequency" (default; their share of the training
        rows), "equal", or a mapping of every class to a number above 0, which is divided by the
        sum. Give a mapping when classes are more or less frequent among new rows than among
        training rows.
    n_bins
        Maximum number of intervals of a "binned" column. Default 10.
    variance_prior
        For "gaussian": the number of rows with the column's overall variance that is added to each
        class, so that a class whose values are all equal has a variance above 0. The standard
        deviation of a class is never below 1/32768 of the overall one. Default 1.0.
    column_weight
        Factor for the log probability of every column, above 0 and at most 1. Columns that repeat
        each other are counted twice, which makes probabilities too extreme; a smaller factor
        brings them nearer to the priors. Try 0.5 when you need calibrated probabilities.
        Default 1.0.

    Attributes
    ----------
    classes_
        The classes, sorted.
    class_count_
        The weight of the training rows of each class.
    class_prior_
        The prior probability of each class.
    terms_
        The distributions of each column: ``kind`` is "gaussian" (with ``mean`` and ``sd``),
        "kernel", "binned", "category", or "silent" for a column with one value or none.

    See Also
    --------
    BayesianNetworkClassifier : columns may depend on each other.
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.bayes import NaiveBayes
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = NaiveBayes().fit(X.rows(range(900)), y[:900])
    >>> print(model.explain(X.rows([900])).to_text(most=2))
    prediction: good, probability 78 %
    log-odds of 'good' against 'bad':
      before any column                                0.858
      checking_status = <0                             −0.801
      credit_history = critical/other existing credit  +0.637
      18 more columns                                  +0.589
      total                                            1.284
    >>> round(model.score(X.rows(range(900, 1000)), y[900:]), 2)
    0.78
    """

    _opposite = None  # nothing here predicts numbers
    _copies_of_columns_count = True
    _constraints: ClassVar = {
        "numeric": OneOf((None, "kernel", "gaussian", "binned", "auto")),
        "alpha": AnyOf((OneOf(("auto",)), Real(0.0, low_open=True))),
        "priors": AnyOf((OneOf(("frequency", "equal")), Given((dict,), "a mapping of classes"))),
        "n_bins": Whole(2, 1_000),
        "variance_prior": Real(0.0, 1e9),
        "column_weight": Real(0.0, 1.0, low_open=True),
    }
    class_count_: npt.NDArray[np.float64]
    class_prior_: npt.NDArray[np.float64]
    terms_: Sequence[Term]
    _evidence: Evidence

    def __init__(
        self,
        *,
        numeric: str | None = None,
        alpha: float | str = "auto",
        priors: str | dict[Any, float] | None = "frequency",
        n_bins: int = 10,
        variance_prior: float = 1.0,
        column_weight: float = 1.0,
    ) -> None:
        self.numeric = numeric
        self.alpha = alpha
        self.priors = priors
        self.n_bins = n_bins
        self.variance_prior = variance_prior
        self.column_weight = column_weight

    # -- fitting ------------------------------------------------------------------------------

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows; anything learned before is discarded."""
        data = self._begin(X, y, sample_weight)
        target = data.class_target
        tally = self._count(data, target.class_of_row, target.n_classes, None)
        fitted = self._model(tally, data.table.schema, target.classes, are_given=False)
        return self._finish(data, **fitted)

    def _model(
        self, tally: Tally, schema: Schema, classes: npt.NDArray[Any], *, are_given: bool
    ) -> dict[str, Any]:
        """Return all fitted attributes but those of the schema."""
        evidence = evidence_of(tally, schema, classes, self._settings())
        return {
            "classes_": classes,
            "class_count_": tally.class_units * tally.weight_of_unit,
            "class_prior_": np.exp(evidence.log_prior),
            "terms_": evidence.terms,
            "_tally": tally,
            "_evidence": evidence,
            "_classes_are_given": are_given,
        }

    def _settings(self) -> Settings:
        return Settings(
            self.numeric,
            self.alpha if isinstance(self.alpha, str) else float(self.alpha),
            self.priors,
            int(self.n_bins),
            float(self.variance_prior),
            float(self.column_weight),
        )

    # -- predicting ---------------------------------------------------------------------------

    def predict_joint_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return log p(class) + log p(row | class) for each class, in the order of ``classes_``.

        Numbers count by their density in the column's own unit, as in scikit-learn.
        """
        return self._for_each_class(
            X, lambda table: joint_scores(self._evidence, table) + per_unit(self._evidence, table)
        )

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``."""
        return self._for_each_class(
            X, lambda table: posterior(joint_scores(self._evidence, table))[0]
        )

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of each class's probability; it never underflows."""
        return self._for_each_class(
            X, lambda table: posterior(joint_scores(self._evidence, table))[1]
        )

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; the first of ``classes_`` on ties."""
        table = self._check_rows(X).table
        blocks = row_blocks(self._evidence, table)
        best = [most_probable(joint_scores(self._evidence, some)) for some in blocks]
        names: npt.NDArray[Any] = self.classes_[np.concatenate(best)]
        return names

    def _for_each_class(
        self, X: Any, score: Callable[[Table], npt.NDArray[np.float64]]
    ) -> npt.NDArray[np.float64]:
        """Return the scores of blocks of rows as one matrix, with a row for each row of X."""
        table = self._check_rows(X).table
        found, begin = np.empty((table.n_rows, len(self.classes_))), 0
        for some in row_blocks(self._evidence, table):
            found[begin : begin + some.n_rows] = score(some).T
            begin += some.n_rows
        return found

    # -- reading ------------------------------------------------------------------------------

    def to_text(self, *, most_categories: int = 8) -> str:
        """Return the model as text: for each column, what is typical of each class.

        Parameters
        ----------
        most_categories
            Maximum number of categories shown for a column.
        """
        self._check_fitted()
        summaries = [
            summarize(column, self._tally.weight_of_unit)
            if isinstance(column, NumberTally)
            else None
            for column in self._tally.columns
        ]
        return model_text(self._evidence, self.schema_, self.classes_, summaries, most_categories)

    def _complexity(self) -> Complexity:
        """Count what is kept of columns: a mean and a deviation, or a frequency, for each class."""
        count = len(self.classes_)
        for term in self.terms_:
            if isinstance(term, CategoryTerm):
                count += int((term.frequency > 0).sum())
            elif not isinstance(term, SilentTerm):
                count += 2 * len(self.classes_)
        return Complexity(count, "numbers")

    def _explain(self, row: Table) -> Explanation:
        """Explain a row by the log-odds of the best class against the second best."""
        joint = joint_scores(self._evidence, row)[:, 0]
        best = int(np.argmax(joint))
        name = self.classes_[best]
        others = np.where(np.arange(len(joint)) == best, -np.inf, joint)
        second = int(np.argmax(others))
        if not np.isfinite(others[second]):  # there is no other class
            parts = in_order_of_size(row, np.zeros(row.n_columns))
            return Explanation(name, f"log-odds of {str(name)!r}", 0.0, 0.0, parts, is_sum=True)
        weight = self._evidence.column_weight
        amounts = np.empty(row.n_columns)
        for place, (term, column) in enumerate(zip(self.terms_, row.columns, strict=True)):
            scores = term.scores(column)[:, 0]
            amounts[place] = weight * (scores[best] - scores[second])
        base = float(self._evidence.log_prior[best] - self._evidence.log_prior[second])
        about = f"log-odds of {str(name)!r} against {str(self.classes_[second])!r}"
        parts = in_order_of_size(row, amounts)
        return Explanation(name, about, base, base + float(amounts.sum()), parts, is_sum=True)

    # -- saving -------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "classes_are_given": self._classes_are_given,
            **pack_tally(self._tally),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        are_given = state.get("classes_are_given")
        if type(are_given) is not bool:
            raise malformed("'classes_are_given' is not true or false")
        tally = unpack_tally(state, schema, len(classes), with_cells=self.numeric != "gaussian")
        try:
            return self._model(tally, schema, classes, are_given=are_given)
        except ParameterError as error:
            raise malformed("the priors are not those of the classes") from error
