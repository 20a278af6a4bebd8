"""A dialogue that asks for the labels of the rows that teach a learner most.

1. A share of the rows, drawn at random, are kept for the score (``_pool``). They are asked in a
   random order among the others; the model that asks does not learn from them.
2. All other rows are chosen by a strategy; a batch avoids rows that are alike. Until there are
   labels of two classes (or three numbers), they are drawn at random, too.
3. The final model learns from all labels.
4. What further labels are worth is read off the models of earlier labels (``_advise``).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Places
from branchline._intervals import Interval
from branchline._named_learners import check_learner
from branchline._plain_numbers import count
from branchline._validation import check_parameters, check_seed, check_training_inputs
from branchline._warn import warn
from branchline.active._advise import advise
from branchline.active._answers import check_answers, check_classes, known_answers
from branchline.active._check_score import check_score
from branchline.active._diversity import Distances, choose_batch
from branchline.active._fitting import Fitted, asking_learner, fit_on
from branchline.active._pool import Pool, make_pool, no_rows_left
from branchline.active._settings import CONSTRAINTS, task_of_labels, usable_strategy
from branchline.active._stop_advice import StopAdvice
from branchline.active._strategies import STRATEGIES, Question
from branchline.errors import BranchlineWarning

__all__ = ["ActiveLearner"]

# At most this number of rows are scored for a batch.
_MOST_CANDIDATES = 20_000
_LEAST_NUMBERS = 3


class ActiveLearner:
    """A learner that asks which rows to label next, so that few labels are enough.

    It takes any table and any learner of the catalog. ``ask`` returns the rows to label, ``tell``
    takes the answers; a loop over the object does the same. ``score`` estimates how good the model
    is on all rows of the table, ``advice`` tells how many more labels are worth it.

    A share of the rows that are asked for are drawn at random: the check rows. They alone are used
    for ``score``, because the rows that a strategy chooses are not typical. The model that asks
    does not learn from them; ``model_`` learns from all labels.

    Labels chosen for one learner may suit another one less. On small or noisy tables the gain over
    random rows can be 0, or negative: ``simulate_labeling`` measures it on a labeled table.

    Parameters
    ----------
    X
        The table, without the target.
    y
        The labels that are known already, missing for the other rows; None: none is known.
    estimator
        The learner: a name (``branchline.catalog.names()``) or an estimator.
    strategy
        How rows are chosen: "uncertainty", "margin", "entropy", "committee" (trees of a forest that
        differ), "error_reduction" (slow, for cheap learners such as naive Bayes), "random"; "auto":
        "margin", or "committee" for numbers.
    batch_size
        Number of rows that are asked at a time.
    check_share
        The share of the rows that are drawn at random, to estimate the score. 0: the score is not
        known.
    diverse
        Whether rows of a batch should differ from one another.
    classes
        All classes, if they are known in advance: other answers are refused.
    task
        "classification" or "regression"; None: as the known labels suggest, else classification.
    random_state
        The seed of the random order of rows, and of committees.

    Attributes
    ----------
    model_
        The learner, fitted on all labels.
    classes_
        The classes so far (or those given), sorted; None for numbers.

    See Also
    --------
    simulate_labeling : return how fast a learner improves with chosen rows and with random rows.
    StopAdvice : what further labels are worth.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.active import ActiveLearner
    >>> X, y = load_dataset("iris").split_target("species")
    >>> learner = ActiveLearner(X, estimator="naive_bayes", batch_size=5)
    >>> for rows in learner:
    ...     learner.tell(rows, y[rows])
    ...     if learner.n_labeled == 30:
    ...         break
    >>> round(float((learner.model_.predict(X) == y).mean()), 2)
    0.97
    """

    def __init__(  # noqa: PLR0913 (an argument for each parameter)
        self,
        X: Any,
        y: Any = None,
        *,
        estimator: Any = "random_forest",
        strategy: str = "auto",
        batch_size: int = 10,
        check_share: float = 0.2,
        diverse: bool = True,
        classes: Any = None,
        task: str | None = None,
        random_state: Any = 0,
    ) -> None:
        given = {"estimator": estimator, "strategy": strategy, "batch_size": batch_size,
                 "check_share": check_share, "diverse": diverse, "classes": classes,
                 "task": task}  # fmt: skip
        check_parameters("ActiveLearner", given, CONSTRAINTS)
        self._seed = check_seed(random_state)
        self.batch_size, self.check_share = int(batch_size), float(check_share)
        self._pool: Pool = make_pool(check_training_inputs(X, None).table, self._seed)
        self.task = task or task_of_labels(y, classes)
        self._given_classes = check_classes(classes, self.task)
        self._learner = check_learner("ActiveLearner", "estimator", estimator, self.task)
        self.strategy = usable_strategy(strategy, self.task, self._learner)
        self._distances = Distances(self._pool) if diverse else None
        self._fitted: Fitted | None = None
        self._final: Fitted | None = None
        self._asked: list[int] = []
        for row, answer in known_answers(y, self._pool, self.task):
            self.tell(row, answer)
        self.n_given = self.n_labeled
        self._pool.set_aside(self.check_share)

    # -- asking -------------------------------------------------------------------------------

    def ask(self) -> Places:
        """Return the rows to label next, by position; the same ones until they are answered."""
        open_rows = [row for row in self._asked if row not in self._pool.answers
                     and row not in self._pool.skipped]  # fmt: skip
        if not open_rows:
            open_rows = self._choose()
            self._asked = open_rows
        return np.array(open_rows, dtype=np.intp)

    def tell(self, rows: Any, answers: Any) -> None:
        """Take answers; None: this row cannot be labeled, it is not asked again.

        Parameters
        ----------
        rows
            Positions of rows, or one of them. They need not be those that were asked.
        answers
            The answer to each.
        """
        listed = [answers] if np.ndim(rows) == 0 else list(answers)
        checked = check_answers(listed, self.task, self._given_classes)
        self._pool.tell(rows, checked[0] if np.ndim(rows) == 0 else checked)
        self._fitted = self._final = None

    def forget(self, row: int) -> None:
        """Take back the answer for a row: it can be asked again."""
        self._pool.forget(self._pool.checked(row)[0])
        self._fitted = self._final = None

    def ask_first(self, row: int) -> None:
        """Ask for this row again, before all others: after ``forget``, for a second look."""
        self._asked = [*self._pool.checked(row), *self._asked]

    def __iter__(self) -> Iterator[Places]:
        """Ask batch after batch, until every row has an answer."""
        while len(self._pool.left):
            yield self.ask()

    def is_check_row(self, row: int) -> bool:
        """Whether a row is asked because it belongs to the random sample for the score."""
        return bool(np.isin(row, self._pool.reserve))

    def _choose(self) -> list[int]:
        """Return the next batch: check rows first."""
        in_reserve, rest = self._pool.left_in_reserve, self._pool.left_to_choose
        if not len(in_reserve) and not len(rest):
            raise no_rows_left()
        n_rows = min(self.batch_size, len(in_reserve) + len(rest))
        n_checks = int(np.clip(self._n_checks(n_rows), n_rows - len(rest), len(in_reserve)))
        return [*in_reserve[:n_checks].tolist(), *self._informative(rest, n_rows - n_checks)]

    def _n_checks(self, n_rows: int) -> int:
        """Return how many of the next rows are check rows, so that their share is kept."""
        wanted = self.check_share * (self.n_labeled - self.n_given + n_rows)
        return int(np.clip(np.floor(wanted + 1e-9) - len(self._pool.check_rows), 0, n_rows))

    def _informative(self, rows: Places, n_rows: int) -> list[int]:
        """Return the most informative rows; random ones while there is no model."""
        if n_rows == 0 or not self.can_fit:
            return [int(row) for row in rows[:n_rows]]
        rows = rows[:_MOST_CANDIDATES]
        if self.strategy == "random":
            return [int(row) for row in rows[:n_rows]]
        learner = asking_learner(self._learner)
        asks = fit_on(learner, self._pool, self._pool.training, self.classes_)
        question = Question(learner, asks, self._pool, rows, self._seed)
        scores = STRATEGIES[self.strategy](question)
        apart = None if self._distances is None else partial(self._distances.between,
                                                             model=asks.model)  # fmt: skip
        return [int(row) for row in choose_batch(rows, scores, n_rows, apart)]

    # -- what is known ------------------------------------------------------------------------

    @property
    def n_labeled(self) -> int:
        """Number of labels so far."""
        return len(self._pool.answers)

    @property
    def n_left(self) -> int:
        """Number of rows that can still be asked for."""
        return len(self._pool.left)

    @property
    def rows_labeled(self) -> Places:
        """The labeled rows, in the order of their answers."""
        return self._pool.rows

    @property
    def labels(self) -> AnyArray:
        """The answers, in the same order."""
        return self._pool.known

    @property
    def check_rows(self) -> Places:
        """The labeled rows that are a random sample of the table."""
        return self._pool.check_rows

    @property
    def classes_(self) -> AnyArray | None:
        """The classes so far, or those that were given; None for numbers."""
        if self.task == "regression":
            return None
        return np.unique(self._pool.known) if self._given_classes is None else self._given_classes

    @property
    def model_(self) -> Any:
        """The learner, fitted on all labels."""
        if self._final is None:
            self._final = fit_on(self._learner, self._pool, self._pool.rows, self.classes_)
        return self._final.model

    def score(self) -> Interval:
        """Return the accuracy on rows of the table (rmse for numbers) with its 95 % interval.

        It is measured on the check rows, by the model that has learned from all other labels.
        ``model_`` has learned from them as well: on average it is a little better.
        """
        self._warn_of_skipped()
        return check_score(self._fit(), self._pool)

    def advice(
        self,
        *,
        negligible: float = 0.01,
        label_cost: float | None = None,
        error_cost: float | None = None,
        n_predictions: int | None = None,
    ) -> StopAdvice:
        """Return whether more labels are worth it, and how many.

        Parameters
        ----------
        negligible
            Stop when labels for all other rows would raise the accuracy by less than this (lower
            the rmse by less than this share).
        label_cost, error_cost, n_predictions
            What a label costs, what a wrong prediction costs, and for how many rows the model will
            be used: stop when a further batch costs more than the errors it saves. All three or
            none.
        """
        costs = (label_cost, error_cost, n_predictions)
        return advise(
            self._learner,
            self._pool,
            self.classes_,
            negligible=negligible,
            costs=costs,
            batch_size=self.batch_size,
        )

    @property
    def can_fit(self) -> bool:
        """Whether there are training labels of two classes, or three numbers."""
        known = [self._pool.answers[row] for row in self._pool.training.tolist()]
        return len(known) >= _LEAST_NUMBERS if self.task == "regression" else len(set(known)) > 1

    def _fit(self) -> Fitted:
        if self._fitted is None:
            rows = self._pool.training
            self._fitted = fit_on(self._learner, self._pool, rows, self.classes_)
        return self._fitted

    def _warn_of_skipped(self) -> None:
        n_skipped = self._pool.n_skipped_check_rows
        if n_skipped:
            warn(
                BranchlineWarning(
                    f"{count(n_skipped, 'check row')} could not be labeled: the score is that of "
                    "rows that can be.",
                    code="W075",
                )
            )

    def __repr__(self) -> str:
        return (
            f"<ActiveLearner: {count(self.n_labeled, 'label')}, {count(self.n_left, 'row')} left, "
            f"strategy {self.strategy!r}>"
        )
