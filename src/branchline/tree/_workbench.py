"""What a person does with a fitted tree besides reading it: editing, stability, sequences, asking.

Each method is a thin call of a file of its own, which says how the thing is made.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import OneOf, Whole, check_parameters, check_seed
from branchline.errors import DataError, KindError, ParameterError, Repair
from branchline.tree._parts import PartGrower
from branchline.tree._readable import Readable
from branchline.tree.asking._dialogue import Dialogue
from branchline.tree.asking._mean_depth import mean_cost, mean_depth
from branchline.tree.editing._editor import TreeEditor, realizer_of
from branchline.tree.growing._depth_curve import curve_by_depth
from branchline.tree.growing._growth import Growth
from branchline.tree.growing._held_out import hold_out
from branchline.tree.growing._node_by_node import Targets, truth_of
from branchline.tree.growing._single_columns import (
    makes_tests,
    only_of_single_columns,
    refuse_derived,
)
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.reading._labels import Labels
from branchline.tree.reading._why import Memory
from branchline.tree.sequences._growing_curve import GrowingCurve, growing_curve
from branchline.tree.sequences._pruning_sequence import (
    PRUNING_METHODS,
    PruningSequence,
    pruning_sequence,
)
from branchline.tree.stability._stability import measure_stability
from branchline.tree.stability._tree_stability import TreeStability

__all__ = ["Workbench"]


class _Grown(NamedTuple):
    """A tree that is not pruned, and rows that it has not seen."""

    growth: Growth
    tree: TreeArrays
    held: Targets


class Workbench(Readable):
    """The working side of a fitted tree."""

    max_depth: int | None
    max_leaf_nodes: int | None
    mdl_weight: float | None
    validation_fraction: float
    random_state: Any

    def edit(
        self, X: Any = None, y: Any = None, *, n_folds: int = 10, n_repeats: int = 3
    ) -> TreeEditor:
        """Return an editor of the tree; each edit returns its price on rows held out.

        Parameters
        ----------
        X, y
            The training rows. Needed for a loaded model; a model fitted in this session remembers
            them (None, default).
        n_folds
            The number of folds by which prices are measured.
        n_repeats
            How often the rows are split into folds.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("iris").split_target("species")
        >>> editor = DecisionTreeClassifier().fit(X, y).edit(n_repeats=1)
        >>> editor.replace(0, "petal_length", threshold=2.5).price.is_tied
        True
        >>> editor.finish().tree_.n_leaves
        3
        """
        memory = self._rows_to_grow_on("edit", X, y)
        self._refuse_made_tests("edit()")
        return TreeEditor(self, memory, n_folds=n_folds, n_repeats=n_repeats)

    def stability(self, X: Any = None, y: Any = None, *, n_trees: int = 200) -> TreeStability:
        """Return how often trees grown on random halves of the rows ask the same questions.

        Parameters
        ----------
        X, y
            The rows to draw halves of; None: those that the tree was fitted on.
        n_trees
            Number of trees, each grown on another half of the rows. Default 200.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("iris").split_target("species")
        >>> stability = DecisionTreeClassifier().fit(X, y).stability(n_trees=50)
        >>> stability[0].n_trees
        50
        """
        given = {"n_trees": n_trees}
        check_parameters("stability", given, {"n_trees": Whole(1)})
        memory = self._rows_to_grow_on("stability", X, y)
        self._refuse_made_tests("stability()")
        realizer = realizer_of(self, memory)
        parts = self._parts
        return measure_stability(realizer, memory.sample, parts[0], parts, n_trees)

    # -- asking ---------------------------------------------------------------------------------

    @property
    def mean_depth_(self) -> float:
        """The expected number of questions: the depth of leaves, averaged over training rows."""
        self._check_fitted()
        return mean_depth(self.tree_)

    @property
    def mean_test_cost_(self) -> float:
        """The expected cost of the columns asked about (``test_costs``); each is paid for once."""
        self._check_fitted()
        costs = np.ones(len(self.schema_))
        given: dict[Any, float] = getattr(self, "test_costs", None) or {}
        for name, cost in given.items():
            named = self.schema_.position.get(name, name)
            costs[named] = float(cost)
        derived = self.tree_.derived
        if derived is not None:  # a derived column costs what its inputs do
            places = range(derived.n_given, derived.n_given + len(derived))
            inputs = [derived.inputs_of(place, self.schema_) for place in places]
            costs = np.append(costs, [costs[each].sum() for each in inputs])
        return mean_cost(self.tree_, costs)

    def ask(self) -> Dialogue:
        """Return a dialogue that puts the tree's questions one by one.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import ID3
        >>> X, y = load_dataset("names").split_target("name")
        >>> dialogue = ID3().fit(X, y).ask()
        >>> print(dialogue.question)
        What is size? (medium / short / tall)
        >>> print(dialogue.answer("short"))
        Charlie 33 %, Georgia 33 %, Helen 33 %
        """
        tree, schema, classes, decision = self._parts
        refuse_derived(tree, "ask()")
        return Dialogue(tree, schema, classes, decision, self.__dict__.get("_costs"))

    # -- sequences ------------------------------------------------------------------------------

    def entropy_curve(self, X: Any, y: Any) -> npt.NDArray[np.float64]:
        """Return H(Y | tree) of given rows, the tree cut at depth 0, 1, 2, …; classes only.

        Entropies are those of the rows' own classes within each leaf: training rows give the curve
        along growth, other rows the curve of a test.
        """
        tree, _, classes, _ = self._parts
        if classes is None:
            raise KindError(
                f"{type(self).__name__} predicts numbers; entropies are of classes.", code="K012"
            )
        rows = self._check_rows(X)
        places = self._class_places(y, rows.table.n_rows)
        return curve_by_depth(tree, tree.find_leaves(rows.table, 1), places, len(classes))

    def _class_places(self, y: Any, n_rows: int) -> npt.NDArray[np.int64]:
        """Return given classes as places among those of the tree."""
        names = np.ravel(np.asarray(y, dtype=object)).tolist()
        place_of = {name: place for place, name in enumerate(self.__dict__["classes_"].tolist())}
        unknown = [name for name in names if name not in place_of]
        if unknown or len(names) != n_rows:
            raise DataError(
                "y must hold one of the tree's classes for each row of X.",
                code="D075",
                values=unknown[:5],
            )
        return np.array([place_of[name] for name in names], dtype=np.int64)

    def growing_curve(
        self, X: Any = None, y: Any = None, *, measure: str | None = None
    ) -> GrowingCurve:
        """Return the losses of the tree as it grows node by node, before any pruning.

        Parameters
        ----------
        X, y
            Held-out rows; None: a share of the training rows (``validation_fraction``), and the
            tree grows on the others.
        measure
            What is lost: "entropy" or "error" for classes; for numbers what the tree is grown by,
            "squared_error", "absolute_error" or "poisson". None: "entropy", or the latter.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("german-credit").split_target("class")
        >>> curve = DecisionTreeClassifier().fit(X, y).growing_curve()
        >>> bool(curve.held_out[-1] > curve.held_out[curve.best])
        True
        """
        self._check_fitted()
        is_class = self._task == "classification"
        allowed = ("entropy", "error") if is_class else (self.tree_.measure,)
        check_parameters(
            "growing_curve", {"measure": measure}, {"measure": OneOf((None, *allowed))}
        )
        grown = self._grown_to_the_end("growing_curve", X, y)
        labels = Labels(grown.tree, self.schema_, self.__dict__.get("classes_"))
        factor, costs = grown.growth.class_factor, self.__dict__.get("_costs")
        how = (measure or allowed[0], self.criterion, factor, costs)
        return growing_curve(grown.tree, labels, grown.held, how, self.mdl_weight)

    def pruning_sequence(
        self, X: Any = None, y: Any = None, *, method: str | None = None
    ) -> PruningSequence:
        """Return the trees that a pruning method goes through, with both errors of each.

        Parameters
        ----------
        X, y
            Validation rows; None: a share of the training rows (``validation_fraction``), and the
            tree grows on the others.
        method
            "cost_complexity", "reduced_error", "pessimistic" or "mdl"; None: the tree's own.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("iris").split_target("species")
        >>> sequence = DecisionTreeClassifier().fit(X, y).pruning_sequence(method="reduced_error")
        >>> int(sequence.n_leaves[-1])
        1
        """
        given = {"method": method}
        check_parameters("pruning_sequence", given, {"method": OneOf((None, *PRUNING_METHODS))})
        grown = self._grown_to_the_end("pruning_sequence", X, y)
        settings = TreeSettings.from_parameters(self.get_params(deep=False))
        name = method or settings.prune or "cost_complexity"
        costs = self.__dict__.get("_costs")
        return pruning_sequence(grown.tree, grown.held, settings, costs, name)

    def _grown_to_the_end(self, call: str, X: Any, y: Any) -> "_Grown":
        """Return the tree that is not pruned, and rows that it has not seen."""
        self._refuse_found_as_a_whole(call)
        growth = self._training_data(f"{call}()").growth
        self._refuse_made_tests(call)
        grower = PartGrower(growth)
        depth, leaves = self.max_depth, self.max_leaf_nodes
        limits: dict[str, Any] = {
            "max_depth": 2**31 - 1 if depth is None else int(depth),
            "max_leaves": 2**62 if leaves is None else int(leaves),
        }
        if X is not None:
            _, tree = grower.grow(growth.whole, **limits)
            table = self._check_rows(X).table
            truth, weight = self._truth(y, table.n_rows), np.ones(table.n_rows)
            return _Grown(growth, tree, Targets(tree.find_leaves(table, 1), truth, weight))
        fraction, seed = float(self.validation_fraction), check_seed(self.random_state)
        held = hold_out(growth, fraction, seed) if growth.n_rows > 1 else None
        if held is None:
            raise DataError(
                f"No rows can be held out of {growth.n_rows}; give X and y of other rows.",
                code="D563",
            )
        _, tree = grower.grow(held.grown, **limits)
        ends = tree.find_leaves(growth.data.table.rows(held.rows.astype(np.int64)), 1)
        return _Grown(growth, tree, Targets(ends, truth_of(growth, held.rows), held.weight))

    def _truth(self, y: Any, n_rows: int) -> Any:
        """Return the classes, as places, or the numbers of given rows."""
        classes = self.__dict__.get("classes_")
        if classes is not None:
            return self._class_places(y, n_rows)
        numbers = np.asarray(y, dtype=np.float64).reshape(n_rows, -1)
        if numbers.shape[1] != self.tree_.value.shape[1] or not np.isfinite(numbers).all():
            raise DataError("y must hold a finite number for each row of X.", code="D075")
        return numbers

    def _refuse_found_as_a_whole(self, call: str) -> None:
        if "prune" not in self.get_params(deep=False):
            raise ParameterError(
                f"{call} grows trees again, node by node, which {type(self).__name__} does not do: "
                "its tree is found as a whole.",
                code="P565",
                repair=Repair(f"DecisionTreeClassifier().fit(X, y).{call}()"),
            )

    def _rows_to_grow_on(self, call: str, X: Any, y: Any) -> Memory:
        """Return the rows to grow trees on: given ones, or those of the fit."""
        self._refuse_found_as_a_whole(call)
        if X is None:
            return self._training_data(f"{call}()", repair=f"model.{call}(X, y)")
        return self._memory_of(X, y)

    def _refuse_made_tests(self, call: str) -> None:
        """Refuse what grows parts of a tree anew, by tests of single columns alone."""
        self._check_fitted()
        refuse_derived(self.tree_, call)
        settings = TreeSettings.from_parameters(self.get_params(deep=False))
        if makes_tests(settings) or settings.questions:
            raise only_of_single_columns(call)

    def _memory_of(self, X: Any, y: Any) -> Memory:
        """Return given rows as the tree's training rows were: coded, weighed, ready to grow on."""
        self._check_fitted()
        table = self._check_rows(X).table
        twin = clone(self).fit(table, y)
        classes = self.__dict__.get("classes_")
        same = classes is None or np.array_equal(classes, twin.classes_)
        same &= [field.type for field in twin.schema_] == [field.type for field in self.schema_]
        if not same:
            raise DataError(
                "These rows lack classes or categories that the tree knows, or have others; give "
                "rows like those that the tree was fitted on.",
                code="D561",
            )
        memory: Memory = twin._training_data("fit(X, y)")
        return memory
