"""How a person reads a fitted tree: text, rules, paths, reasons, drawings, tables.

Each method is a thin call of a file of its own, which says how the thing is made.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from branchline import errors
from branchline._base import Predictor
from branchline._state import column_attributes
from branchline._trees._costs import decide
from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import Flag, check_parameters
from branchline.table import Table, as_table
from branchline.tree.drawing import Drawing, draw_tree, miniature, nodes_of_path
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.missing._surrogate_state import surrogates_from_list, surrogates_to_list
from branchline.tree.missing._surrogates import SURROGATE_NOTE
from branchline.tree.reading import _importance
from branchline.tree.reading._export import tree_to_dict, tree_to_frame
from branchline.tree.reading._paths import Path, path_of_row
from branchline.tree.reading._rule_list import RuleList
from branchline.tree.reading._rules import tree_to_rules
from branchline.tree.reading._simplify_rules import simplify_rules
from branchline.tree.reading._text import tree_to_text
from branchline.tree.reading._tree_from_dict import tree_from_dict
from branchline.tree.reading._verdict import verdict_of
from branchline.tree.reading._why import Memory, Reasons, check_node, list_reasons, training_data_of
from branchline.tree.reading._why_column import list_cuts, rows_of_node

__all__ = ["Readable"]


class Readable(Predictor):
    """The reading side of a fitted tree."""

    criterion: str
    tree_: TreeArrays

    @property
    def _parts(self) -> tuple[Any, ...]:
        """The tree, its columns, its classes and decisions: what the reading functions take."""
        self._check_fitted()
        fitted = self.__dict__
        schema = self.tree_.extended_schema(self.schema_)
        return self.tree_, schema, fitted.get("classes_"), fitted.get("decision_")

    # -- words and tables -----------------------------------------------------------------------

    def to_text(self, *, max_depth: int | None = None) -> str:
        """Return the tree as text: a test, then a line for each branch, indented by depth."""
        text = tree_to_text(*self._parts, max_depth=max_depth)
        notes = dict.fromkeys(filter(None, map(self.tree_.meaning, range(self.tree_.n_nodes))))
        surrogates = [SURROGATE_NOTE] if self.__dict__.get("surrogates_") else []
        return "\n\n".join([text, *notes, *surrogates])

    def rules(self, *, simplify: bool = False) -> RuleList:
        """Return the tree as rules, one a leaf, with support and confidence.

        Parameters
        ----------
        simplify
            Drop conditions and rules that do not matter: a shorter list, tried in order, that is as
            accurate on the training rows as the tree.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("iris").split_target("species")
        >>> len(DecisionTreeClassifier().fit(X, y).rules())
        3
        """
        rules = tree_to_rules(*self._parts)
        check_parameters("rules", {"simplify": simplify}, {"simplify": Flag()})
        if not simplify:
            return rules
        if self.tree_.measure == "absolute_error":
            raise errors.ParameterError(
                "rules(simplify=True) compares means, but this tree predicts medians.",
                code="P612",
                repair=errors.Repair("model.rules()"),
            )
        data = self._training_data("rules(simplify=True)").growth.data
        weights = data.weights.of_rows(data.table.n_rows)
        table = self.tree_.extended(data.table)
        if rules.classes is None:
            return simplify_rules(rules, table, data.number_target.matrix, weights)
        classes = data.class_target.class_of_row.astype(np.int64)
        costs = self.__dict__.get("_costs")
        return simplify_rules(rules, table, classes, weights, costs=costs)

    def path(self, row: Any) -> Path:
        """Return the way of one row from the root to its leaf; print it to read it.

        ``row`` is a mapping from column names to values, or a table of which the first row is
        taken.
        """
        tree, schema, classes, decision = self._parts
        rows = [dict(row)] if isinstance(row, Mapping) else row
        given: Table = as_table(rows, texts="raw")
        if given.n_rows == 0:
            raise errors.DataError("There are no rows, so there is no path to follow.", code="D001")
        first = given.rows(np.array([0]))
        self._check_rows(first)
        costs = self.__dict__.get("_costs")
        surrogates = self.__dict__.get("surrogates_")
        return path_of_row(
            tree, schema, classes, first, decision, costs=costs, surrogates=surrogates
        )

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return one row per node: where it stands, what it asks, what it predicts."""
        return tree_to_frame(*self._parts, library=library)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain data, ready for JSON; ``from_dict`` reads it back."""
        data = tree_to_dict(*self._parts)
        costs, surrogates = self.__dict__.get("_costs"), self.__dict__.get("surrogates_")
        if surrogates is not None:
            data["surrogates"] = surrogates_to_list(surrogates, self.schema_)
        return data if costs is None else {**data, "costs": costs.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return a fitted tree from what ``to_dict`` returned, also by way of JSON."""
        tree, schema, classes, decision, costs = tree_from_dict(data)
        surrogates = surrogates_from_list(data.get("surrogates"), tree, schema)
        if (classes is None) != (cls._task == "regression"):
            raise errors.ModelFileError(
                f"The tree is for {data['task']}; {cls.__name__} is for {cls._task}.", code="M005"
            )
        model = cls()
        state = {**column_attributes(schema), "tree_": tree, **cls._more_from_dict(data)}
        if classes is not None:
            # A leaf that predicts another class than its rows ask for was relabeled by a person.
            assert decision is not None
            other = np.flatnonzero(tree.is_leaf & (decision != decide(tree.value, costs)))
            state |= {"classes_": classes, "_costs": costs}
            state["relabeled_"] = {int(leaf): int(decision[leaf]) for leaf in other}
        else:
            state["n_outputs_"] = tree.value.shape[1]
        if surrogates is not None:
            state["surrogates_"] = surrogates
            model.set_params(missing="surrogate")
        model.__dict__.update(state)
        model.__dict__.update(model._unpack(model._pack(), schema))
        return model

    @classmethod
    def _more_from_dict(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return fitted attributes that a subclass keeps besides the tree."""
        return {}

    # -- drawings -------------------------------------------------------------------------------

    def draw(
        self, row: Any = None, *, max_depth: int | None = None, width: int | None = None
    ) -> Drawing:
        """Return a drawing of the tree (SVG); ``save`` writes it, a notebook shows it.

        Parameters
        ----------
        row
            A row whose path is to stand out, given as to ``path``.
        max_depth
            Maximum depth to draw; None: as much as can be read.
        width
            The widest the drawing may get before it turns from top-down to left-to-right.
        """
        tree, schema, classes, decision = self._parts
        settings: dict[str, Any] = {} if width is None else {"width": width}
        return draw_tree(
            tree,
            schema,
            classes,
            decision=decision,
            highlight=nodes_of_path(self, row),
            max_depth=max_depth,
            **settings,
        )

    def _html_repr(self) -> str:
        """Return scikit-learn's page about the estimator, with a small picture of the tree."""
        page: str = super()._html_repr()
        if not self.__sklearn_is_fitted__():
            return page
        tree, _, classes, decision = self._parts
        return f"{page}<div>{miniature(tree, classes, decision=decision)}</div>"

    # -- reasons --------------------------------------------------------------------------------

    def why(self, node: int = 0, *, column: str | None = None) -> Reasons:
        """Return the tests that were considered at a node, with their gains.

        Parameters
        ----------
        node
            The number of the node; 0 is the root. ``to_frame`` lists them.
        column
            A column of which every single test is wanted; None: the best test of each column.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import ID3
        >>> X, y = load_dataset("tennis").split_target("play")
        >>> print(ID3().fit(X, y).why())
        node 0, impurity 0.9403: split by outlook; the runner-up is humidity
          test           gain   ratio   score
          outlook      0.2467  0.1564  0.2467  ← chosen
          humidity     0.1518  0.1518  0.1518
          wind         0.0481  0.0488  0.0481
          temperature  0.0292  0.0188  0.0292
        """
        memory = self._training_data(f"why({node})")
        self._check_node(node)
        factor = memory.growth.class_factor
        impurity = float(_importance.impurities(self.tree_, self.criterion, factor)[node])
        if column is not None:
            rows = rows_of_node(memory, self.tree_, node, column, self.criterion)
            least = self.get_params(deep=False).get("min_samples_leaf", 0)
            reasons = list_cuts(*rows, least=float(least))
            return Reasons(node, impurity, f"every test of {column}", tuple(reasons))
        reasons = list_reasons(memory, self.tree_, node)
        settings = TreeSettings.from_parameters(self.get_params(deep=False))
        is_edited = bool(self.__dict__.get("edits_"))
        verdict = verdict_of(self.tree_, node, reasons, impurity, settings, is_edited=is_edited)
        if self.tree_.is_leaf[node]:
            reasons = [replace(reason, chosen=False) for reason in reasons]
        tests = self.__dict__.get("surrogates_")
        named = () if tests is None else tuple(t.sentence(self.schema_) for t in tests.at(node))
        return Reasons(node, impurity, verdict, tuple(reasons), named, self.tree_.meaning(node))

    def _training_data(self, call: str, *, repair: str | None = None) -> Memory:
        return training_data_of(self, call, repair=repair)

    def _check_node(self, node: Any) -> None:
        check_node(node, self.tree_.n_nodes, "tree")

    # -- numbers --------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The share of each column in the decrease of impurity, summed over its tests."""
        self._check_fitted()
        return _importance.importances(self.tree_, self.schema_, self.criterion)

    @property
    def impurity_decreases_(self) -> npt.NDArray[np.float64]:
        """Sum over the tests of each column: rows of the node times its decrease of impurity."""
        self._check_fitted()
        return _importance.impurity_decreases(self.tree_, self.schema_, self.criterion)

    @property
    def used_columns_(self) -> list[str]:
        """The names of the columns that the tree tests."""
        self._check_fitted()
        return [
            self.schema_.names[place]
            for place in _importance.used_columns(self.tree_, self.schema_).tolist()
        ]

    @property
    def entropy_(self) -> float:
        """H(Y | tree) of the training rows in bits; for numbers the variance within leaves."""
        self._check_fitted()
        return _importance.tree_entropy(self.tree_)

    def kernel(self, X: Any, Z: Any = None) -> npt.NDArray[np.float64]:
        """Return the tree as a kernel: 1 / (weight of the leaf) where rows share one, else 0.

        With Z the training rows, the sum of their targets times the kernel is the prediction.
        ``Z=None`` compares the rows of X with one another.
        """
        mine = self.apply(X)
        others = mine if Z is None else self.apply(Z)
        same = mine[:, None] == others[None, :]
        return np.where(same, 1.0 / self.tree_.weight[mine][:, None], 0.0)

    def get_depth(self) -> int:
        """Return the depth: the number of tests on the longest path."""
        self._check_fitted()
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        self._check_fitted()
        return self.tree_.n_leaves
