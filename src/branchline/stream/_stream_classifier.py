"""What all learners of streams share: fitting, learning from more rows, predicting, saving.

1. The first batch says which columns and classes there are (``_arriving_columns``).
2. Rows are learned from in their order, each once; the compiled core keeps what was learned.
3. Any cut of the same rows into batches gives the same model, to the last bit.
"""

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._state import (
    array_from_state,
    classes_from_state,
    classes_to_state,
    column_attributes,
)
from branchline._validation import (
    ClassTarget,
    Owner,
    check_seed,
    check_target,
    check_training_inputs,
    count_threads,
)
from branchline.errors import DataError, ParameterError, Repair
from branchline.stream._arriving_columns import arrange, has_values
from branchline.stream._branch_words import Branch, branches_of, tree_text
from branchline.stream._learned_trees import LearnedTrees, StreamRules
from branchline.table import Schema, Table

__all__ = ["StreamClassifier"]

_FLAGS = np.dtype(np.bool_)


class StreamClassifier(Classifier):
    """Root of classifiers that learn from each row once; subclasses say by which rules."""

    _opposite: ClassVar[str | None] = "branchline.forest.RandomForestRegressor"
    _learns_in_sequence = True
    _copies_of_columns_count = True
    # Densities are added in the order of columns; scales shift their logarithms.
    _tolerance = 1e-9
    max_categories: int
    max_memory: float
    random_state: Any
    n_jobs: int | None = 1
    learned_: LearnedTrees
    seen_: Bools

    def _rules(self) -> StreamRules:
        """Return how trees learn, without the seed."""
        raise NotImplementedError

    # -- learning -----------------------------------------------------------------------------

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows in their order, forgetting what was learned before."""
        data = self._begin(X, y, None)
        table = arrange(None, data.table, np.array([]), int(self.max_categories))
        learned = self._nothing(table.schema, len(data.class_target.classes), data.n_cells)
        learned.learn(table, data.class_target.class_of_row)
        return self._finish(
            # The columns as the stream keeps them.
            _with_table(data, table),
            classes_=data.class_target.classes,
            learned_=learned,
            seen_=has_values(table),
        )

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from more rows, in their order, once.

        Parameters
        ----------
        X, y
            The rows and their classes. Categories may be new; columns may not.
        classes
            All classes that will ever come; needed in the first call.
        """
        self._learn_batch(X, y, classes, predict=False)
        return self

    def predict_then_learn(self, X: Any, y: Any, classes: Any = None) -> Floats:
        """Return the probabilities of each row before it was learned from, and learn from it.

        Parameters
        ----------
        X, y, classes
            As in ``partial_fit``.
        """
        found = self._learn_batch(X, y, classes, predict=True)
        assert found is not None
        return found

    def _learn_batch(self, X: Any, y: Any, classes: Any, *, predict: bool) -> Floats | None:
        self._check_parameters()
        is_first = not self.__sklearn_is_fitted__()
        known = self._first_classes(classes) if is_first else self._same_classes(classes)
        given = check_training_inputs(X, None).table
        class_of_row = self._places(y, given.n_rows, known)
        seen = np.array([]) if is_first else self.seen_
        schema = None if is_first else self.schema_
        table = arrange(schema, given, seen, int(self.max_categories))
        if is_first:
            learned = self._nothing(table.schema, len(known), given.n_rows * given.n_columns)
        else:
            learned = self._unchanged()
        values = has_values(table)
        fitted = {
            "classes_": known,
            "learned_": learned,
            "seen_": values if is_first else self.seen_ | values,
            **column_attributes(table.schema),
        }
        # Written before the rows are learned from: an interruption leaves the rows before it.
        self.__dict__.update(fitted)
        return learned.learn(table, class_of_row, predict=predict)

    def _nothing(self, schema: Schema, n_classes: int, n_cells: int) -> LearnedTrees:
        rules = self._rules()
        seeded = StreamRules(rules.tree, rules.ensemble, check_seed(self.random_state))
        # Threads wait for each other after every block of rows; few trees are not worth it.
        learned = LearnedTrees(seeded, schema, n_classes, count_threads(self.n_jobs, n_cells))
        self._refuse_too_little_memory(learned)
        return learned

    def _refuse_too_little_memory(self, learned: LearnedTrees) -> None:
        """Refuse a limit at which not even the first leaf of each tree could learn."""
        # A tree of an adaptive forest may have another one growing in the background.
        trees = 2 if learned.rules.ensemble[0] == "adaptive_forest" else 1
        needed = trees * float(learned.native.sizes()[6]) / 0.9 / 2**20
        if needed <= self.max_memory:
            return
        enough = math.ceil(20 * needed) / 10  # twice as much, in tenths
        raise ParameterError(
            f"The first leaves of this {type(self).__name__} take {needed:.3g} megabytes, with "
            f"this number of columns and classes; max_memory is {self.max_memory:g}.",
            code="P853",
            values=[self.max_memory],
            repair=Repair(f"model.set_params(max_memory={enough})"),
        )

    def _unchanged(self) -> LearnedTrees:
        """Refuse to go on by other rules than those that the model was begun with."""
        now, then = self._rules(), self.learned_.rules
        if (now.tree, now.ensemble) == (then.tree, then.ensemble):
            return self.learned_
        raise ParameterError(
            f"A parameter of this {type(self).__name__} was changed between batches; trees go on "
            "by the rules that they were begun with.",
            code="P850",
            repair=Repair("model = clone(model)\nmodel.partial_fit(X, y, classes=numpy.unique(y))"),
        )

    def _first_classes(self, classes: Any) -> npt.NDArray[Any]:
        if classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit.",
                code="P061",
                repair=Repair("import numpy\nmodel.partial_fit(X, y, classes=numpy.unique(y))"),
            )
        return np.unique(np.asarray(classes))

    def _same_classes(self, classes: Any) -> npt.NDArray[Any]:
        if classes is None or np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            return self.classes_
        raise ParameterError(
            "The 'classes' of this batch are not those of the first one.",
            code="P032",
            values=np.unique(np.asarray(classes)).tolist()[:5],
            repair=Repair("model.partial_fit(X, y)"),
        )

    def _places(self, y: Any, n_rows: int, known: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        owner = Owner(type(self).__name__, self._opposite, self._multi_output)
        target = check_target(y, n_rows, task="classification", owner=owner, tell_one_class=False)
        assert isinstance(target, ClassTarget)
        place_of = {name: place for place, name in enumerate(known.tolist())}
        unknown = [name for name in target.classes.tolist() if name not in place_of]
        if unknown:
            shown = ", ".join(map(str, known[:20].tolist()))
            raise DataError(
                f"The target y holds {unknown[0]!r}, which is not among the classes that the first "
                f"partial_fit was given: {shown}.",
                code="D115",
                values=unknown[:5],
            )
        places = np.array([place_of[name] for name in target.classes.tolist()], dtype=np.intp)
        of_row: npt.NDArray[np.intp] = places[target.class_of_row]
        return of_row

    # -- predicting and reading -------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        rows = self._check_rows(X)
        return self.learned_.predict(rows.table, count_threads(self.n_jobs, rows.n_cells))

    @property
    def n_rows_seen_(self) -> int:
        """How many rows were learned from."""
        return int(self._sizes()[0])

    @property
    def n_leaves_(self) -> int:
        """The number of leaves of all trees."""
        return int(self._sizes()[2])

    @property
    def n_bytes_(self) -> int:
        """How many bytes the trees and their statistics take, about."""
        return int(self._sizes()[6])

    @property
    def branches_(self) -> tuple[Branch, ...]:
        """What happened to branches: begun beside an old one, kept, dropped. The last 10 000."""
        self._check_fitted()
        return branches_of(self.learned_.native.events(), self.schema_)

    def _sizes(self) -> tuple[Any, ...]:
        self._check_fitted()
        sizes: tuple[Any, ...] = self.learned_.native.sizes()
        return sizes

    def to_text(self, tree: int = 0) -> str:
        """Return a tree as indented text: tests, and the share of classes in leaves.

        Parameters
        ----------
        tree
            Which tree, counted from 0.
        """
        self._check_fitted()
        n_trees = int(self.learned_.rules.ensemble[1])
        if not isinstance(tree, int) or not 0 <= tree < n_trees:
            raise ParameterError(
                f"The 'tree' parameter of to_text must be a number from 0 to {n_trees - 1}. Got "
                f"{tree!r} instead.",
                code="P001",
                values=[tree],
                repair=Repair("print(model.to_text(0))"),
            )
        return tree_text(self.learned_.native.nodes(tree), self.schema_, self.classes_)

    def _complexity(self) -> Complexity:
        return Complexity(self.n_leaves_, "leaves")

    # -- saving -------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "seen": self.seen_,
            "trees": dict(self.learned_.pack()),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        seen = array_from_state(state, "seen", _FLAGS, length=len(schema))
        learned = LearnedTrees.unpack(state.get("trees"), self._rules(), schema, len(classes))
        return {"classes_": classes, "seen_": seen, "learned_": learned}


def _with_table(data: Any, table: Table) -> Any:
    return replace(data, table=table)
