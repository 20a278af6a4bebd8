"""What trees with models in their leaves share: rows go down, and the tree is read.

The same readers as of plain trees are used; they ask the tree's notes for the words of a leaf.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchline import errors
from branchline._base import Complexity, Predictor
from branchline._explanation import Explanation
from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import count_threads
from branchline.table import Table, as_table
from branchline.tree.drawing import Drawing, draw_tree, miniature, nodes_of_path
from branchline.tree.reading._export import tree_to_dict, tree_to_frame
from branchline.tree.reading._importance import used_columns
from branchline.tree.reading._labels import short_number
from branchline.tree.reading._paths import Path, path_of_row
from branchline.tree.reading._rule_list import RuleList
from branchline.tree.reading._rules import tree_to_rules
from branchline.tree.reading._text import tree_to_text

__all__ = ["LeafModelTree"]


class LeafModelTree(Predictor):
    """A fitted tree whose leaves predict by models of their own."""

    n_jobs: int | None
    tree_: TreeArrays

    @property
    def _reading(self) -> tuple[Any, ...]:
        self._check_fitted()
        return self.tree_, self.schema_, self.__dict__.get("classes_"), None

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the leaf that each row ends in."""
        rows = self._check_rows(X)
        return self.tree_.find_leaves(rows.table, count_threads(self.n_jobs, rows.n_cells))

    # -- reading --------------------------------------------------------------------------------

    def to_text(self, *, max_depth: int | None = None) -> str:
        """Return the tree as text: a test, then a line for each branch; leaves say their models."""
        return tree_to_text(*self._reading, max_depth=max_depth)

    def rules(self) -> RuleList:
        """Return the tree as rules, one for each leaf; what follows is the leaf's model."""
        return replace(tree_to_rules(*self._reading), model=self)

    def path(self, row: Any) -> Path:
        """Return the way of one row from the root to its leaf; print it to read it.

        ``row`` is a mapping from column names to values, or a table of which the first row is
        taken.
        """
        tree, schema, classes, decision = self._reading
        rows = [dict(row)] if isinstance(row, Mapping) else row
        given: Table = as_table(rows, texts="raw")
        if given.n_rows == 0:
            raise errors.DataError("There are no rows, so there is no path to follow.", code="D001")
        first = given.rows(np.array([0]))
        followed = path_of_row(tree, schema, classes, first, decision)
        return self._with_prediction(followed, first)

    def _with_prediction(self, path: Path, row: Table) -> Path:
        """Put what the model predicts in the place of what the leaf's rows are on average."""
        predicted = np.ravel(self.predict(row))[0]
        if "classes_" in self.__dict__:
            shares = self.predict_proba(row)[0]
            is_said = path.answer.startswith(f"{predicted} ")
            answer = path.answer if is_said else f"{predicted}, by {path.answer}"
            outcome = predicted.item() if isinstance(predicted, np.generic) else predicted
            return replace(path, value=tuple(shares.tolist()), outcome=outcome, answer=answer)
        link = " =" if self._reads_as_sum() else ", by"
        answer = f"{short_number(float(predicted))}{link} {path.answer}"
        return replace(path, value=(float(predicted),), outcome=float(predicted), answer=answer)

    def _reads_as_sum(self) -> bool:
        """Whether the words of a leaf are a sum that gives the prediction."""
        return True

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return a row for each node: its place, its question, the class or mean of its rows."""
        return tree_to_frame(*self._reading, library=library)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain data, ready for JSON; leaves have their models in words."""
        data = tree_to_dict(*self._reading)
        notes = self.tree_.notes
        for node in data["nodes"]:
            words = None if notes is None else notes.value(node["id"])
            if words is not None:
                node["model"] = words
        return data

    def draw(
        self, row: Any = None, *, max_depth: int | None = None, width: int | None = None
    ) -> Drawing:
        """Return a drawing of the tree (SVG); leaves show their models in short.

        Parameters
        ----------
        row
            A row whose path is to stand out, given as to ``path``.
        max_depth
            Maximum depth to draw; None: as much as can be read.
        width
            The widest the drawing may get before it turns from top-down to left-to-right.
        """
        tree, schema, classes, decision = self._reading
        return draw_tree(
            tree,
            schema,
            classes,
            decision=decision,
            highlight=nodes_of_path(self, row),
            max_depth=max_depth,
            width=width,
        )

    def _html_repr(self) -> str:
        page: str = super()._html_repr()
        if not self.__sklearn_is_fitted__():
            return page
        tree, _, classes, decision = self._reading
        return f"{page}<div>{miniature(tree, classes, decision=decision)}</div>"

    def _explain(self, row: Table) -> Explanation:
        found: Explanation = super()._explain(row)
        return replace(found, notes=("its path:", str(self.path(row))))

    # -- numbers --------------------------------------------------------------------------------

    @property
    def used_columns_(self) -> list[str]:
        """The names of the columns that the tree tests."""
        self._check_fitted()
        return [
            self.schema_.names[place] for place in used_columns(self.tree_, self.schema_).tolist()
        ]

    def get_depth(self) -> int:
        """Return the depth: the number of tests on the longest path."""
        self._check_fitted()
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        self._check_fitted()
        return self.tree_.n_leaves

    def _complexity(self) -> Complexity:
        return Complexity(self.tree_.n_leaves, "leaves")
