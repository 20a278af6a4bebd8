"""The editor of a fitted tree: edits, their prices, undo and redo, and the edited model.

An edit changes a plan (``_edits``). The plan is carried out on the training rows (``_realize``),
and the price of the edit is measured on rows held out (``_price``). The model itself is not
changed: ``finish`` returns a new one.
"""

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from branchline._plain_numbers import count
from branchline._validation import Whole, check_parameters, check_seed
from branchline.tree.editing._edit_room import EditRoom
from branchline.tree.editing._edits import apply_edit, mark_edits, path_data
from branchline.tree.editing._plan import PlanNode, path_to, plan_levels, plan_of
from branchline.tree.editing._price import EditPrice, price_of, training_loss
from branchline.tree.editing._realize import Realized, Realizer
from branchline.tree.editing._test_data import bad_edit
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.missing._find_surrogates import refill_with_surrogates
from branchline.tree.reading._text import tree_to_text
from branchline.tree.reading._why import Memory

__all__ = ["EditResult", "TreeEditor", "realizer_of"]


@dataclass(frozen=True, eq=False)
class EditResult:
    """What an edit did: the edit as data, its price, and the tree after it as text."""

    edit: dict[str, Any]
    price: EditPrice
    text: str

    def __str__(self) -> str:
        return f"{edit_words(self.edit)}: {self.price}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the edit and its price as plain data."""
        return {**self.edit, "price": self.price.to_dict()}


@dataclass(frozen=True, eq=False)
class _Stage:
    """The plan after an edit, and the edit that led to it (None: the fitted tree)."""

    plan: PlanNode
    made: Realized
    edit: dict[str, Any] | None = None
    price: EditPrice | None = None


class TreeEditor:
    """Edits a fitted tree; each edit returns what it costs on rows that the tree has not seen.

    Nodes are named by their numbers in the tree as it stands; ``print(editor)`` shows them, and
    they change with each edit. Columns and categories are named as in the table.

    Parameters
    ----------
    model
        The fitted tree.
    memory
        The rows that it was fitted on.
    n_folds, n_repeats
        How prices are measured: the number of folds, and how often rows are split.

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> editor = DecisionTreeClassifier().fit(X, y).edit()
    >>> price = editor.prune(2)
    >>> editor.finish().tree_.n_leaves
    2
    """

    def __init__(
        self, model: Any, memory: Memory, *, n_folds: int = 10, n_repeats: int = 3
    ) -> None:
        given = {"n_folds": n_folds, "n_repeats": n_repeats}
        check_parameters("edit", given, {"n_folds": Whole(2), "n_repeats": Whole(1)})
        self._model, self._sample = model, memory.sample
        self._splits = (int(n_folds), int(n_repeats), check_seed(model.random_state))
        fitted, realizer = model.__dict__, realizer_of(model, memory)
        self._room = EditRoom(realizer, memory.sample, model.schema_, fitted.get("classes_"))
        first = Realized(model.tree_, fitted.get("decision_"), fitted.get("relabeled_", {}))
        plan = plan_of(model.tree_)
        mark_edits(self._room, plan, fitted.get("edits_", []), first.relabeled)
        self._stages = [_Stage(plan, first)]
        self._undone: list[_Stage] = []

    # -- edits ----------------------------------------------------------------------------------

    def replace(
        self,
        node: int,
        column: str | None = None,
        *,
        threshold: float | None = None,
        categories: Sequence[Any] | None = None,
        missing: int | None = None,
        below: str = "keep",
    ) -> EditResult:
        """Ask another question at a node.

        Parameters
        ----------
        node
            The number of the node.
        column
            The column to ask about; None: the one that is asked about now.
        threshold
            Numbers: values up to it take branch 0.
        categories
            Categories: a list for each branch, or the list of branch 0 (all others take branch 1).
        missing
            The branch of missing values; None: the one that most rows take.
        below
            What happens to the tests below: "keep" them where the number of branches allows it,
            "grow" new ones, or make each branch a "leaf".
        """
        edit = {"column": column, "threshold": threshold, "categories": categories}
        edit |= {"missing": missing}
        given = {name: value for name, value in edit.items() if value is not None}
        return self.apply({"edit": "replace", "node": node, **given, "below": below})

    def prune(self, node: int) -> EditResult:
        """Make a node a leaf."""
        return self.apply({"edit": "prune", "node": node})

    def graft(
        self, node: int, *, max_depth: int | None = None, max_leaf_nodes: int | None = None
    ) -> EditResult:
        """Grow a new subtree at a node. It is pruned, unless you limit its size."""
        limits = {"max_depth": max_depth, "max_leaf_nodes": max_leaf_nodes}
        given = {name: value for name, value in limits.items() if value is not None}
        return self.apply({"edit": "graft", "node": node, **given})

    def relabel(self, node: int, prediction: Any) -> EditResult:
        """Let a leaf predict a given class or number."""
        return self.apply({"edit": "relabel", "node": node, "prediction": _plain(prediction)})

    def merge(self, node: int, branches: Iterable[int] | None = None) -> EditResult:
        """Make one branch, a leaf, of several branches; None: of all branches."""
        given = {} if branches is None else {"branches": [_plain(each) for each in branches]}
        return self.apply({"edit": "merge", "node": node, **given})

    def forbid(self, column: str, node: int = 0) -> EditResult:
        """Grow the tree below a node again without a column."""
        return self.apply({"edit": "forbid", "node": node, "column": column})

    def require(self, column: str, node: int = 0) -> EditResult:
        """Make a node test this column, with its best test, and grow the subtree below again."""
        return self.apply({"edit": "require", "node": node, "column": column})

    def regrow(self, node: int = 0, *, freeze: Iterable[int] = ()) -> EditResult:
        """Grow everything below a node again, except frozen nodes and the tests above them."""
        frozen = [_plain(number) for number in freeze]
        return self.apply({"edit": "regrow", "node": node, "freeze": frozen})

    def apply(self, edit: Mapping[str, Any]) -> EditResult:
        """Make an edit that is given as data, and return its price."""
        stage = self._stages[-1]
        plan, node = apply_edit(self._room, stage.plan, edit)
        made = self._room.realizer.shown(plan, self._sample)
        where = plan_levels(plan).index(node)
        options = {k: v for k, v in edit.items() if k not in {"edit", "node", "path", "price"}}
        done = {"edit": edit["edit"], "node": where, **options}
        done["path"] = path_data(self._room, plan, node)
        before = _with_kept_path(stage.plan, plan, node)
        price = self._price(before, plan, stage.made, made)
        self._stages.append(_Stage(plan, made, done, price))
        self._undone.clear()
        return EditResult(done, price, self.to_text())

    def _price(
        self, before: PlanNode, after: PlanNode, made_before: Realized, made_after: Realized
    ) -> EditPrice:
        realizer, sample = self._room.realizer, self._sample
        pair = [training_loss(realizer, made, sample) for made in (made_before, made_after)]

        def carried(plan: PlanNode) -> Any:
            return lambda rows: realizer.again(plan, rows)

        return price_of(realizer, carried(before), carried(after), (pair[0], pair[1]), self._splits)

    # -- the list of edits ----------------------------------------------------------------------

    @property
    def edits(self) -> list[dict[str, Any]]:
        """The edits so far, as plain data; those of an earlier session come first."""
        earlier = self._model.__dict__.get("edits_", [])
        now = [stage.edit for stage in self._stages if stage.edit is not None]
        return copy.deepcopy([*earlier, *now])

    def replay(self, edits: Iterable[Mapping[str, Any]] | str | Path) -> list[EditResult]:
        """Make the edits of a list, or of a JSON file that holds one."""
        if isinstance(edits, str | Path):
            edits = read_edits(edits)
        return [self.apply(edit) for edit in edits]

    def undo(self) -> None:
        """Take the last edit back."""
        if len(self._stages) == 1:
            raise bad_edit("There is no edit to take back.")
        self._undone.append(self._stages.pop())

    def redo(self) -> None:
        """Make the edit again that was taken back last."""
        if not self._undone:
            raise bad_edit("No edit was taken back, so there is none to make again.")
        self._stages.append(self._undone.pop())

    def save_edits(self, path: str | Path) -> None:
        """Write the list of edits into a JSON file."""
        text = json.dumps(self.edits, indent=1, ensure_ascii=False)
        Path(path).write_text(text + "\n", encoding="utf-8")

    def price(self) -> EditPrice:
        """Return the price of all edits together, against the tree without any."""
        first, last = self._stages[0], self._stages[-1]
        return self._price(first.plan, last.plan, first.made, last.made)

    # -- the tree -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the tree as it stands, with the numbers of its nodes."""
        made = self._stages[-1].made
        schema, classes = self._room.schema, self._room.classes
        return tree_to_text(made.tree, schema, classes, made.decision, numbers=True)

    def __str__(self) -> str:
        lines = [self.to_text()]
        edits = [stage for stage in self._stages if stage.edit is not None]
        if edits:
            lines += ["", count(len(edits), "edit")]
            lines += [_line(stage) for stage in edits]
        return "\n".join(lines)

    __repr__ = __str__

    def finish(self) -> Any:
        """Return a new model with the edited tree and the list of edits (``edits_``)."""
        made, model = self._stages[-1].made, copy.copy(self._model)
        model.__dict__.pop("pruning_path_", None)
        tree, relabeled, growth = made.tree, made.relabeled, self._room.realizer.growth
        if "surrogates_" in model.__dict__:
            n_surrogates = int(model.n_surrogates)
            refilled, found = refill_with_surrogates(growth, self._sample, tree, n_surrogates)
            if refilled.n_nodes == tree.n_nodes and not relabeled:
                tree = refilled
            model.surrogates_ = found if refilled.n_nodes == tree.n_nodes else None
        model.__dict__ |= {"tree_": tree, "edits_": self.edits, "relabeled_": dict(relabeled)}
        if made.decision is not None:
            model.decision_ = made.decision
        model._remembered = Memory(growth, self._sample)
        return model


def _plain(value: Any) -> Any:
    """Return NumPy's numbers as Python's, which a list of edits can hold."""
    return value.item() if isinstance(value, np.generic) else value


def _line(stage: _Stage) -> str:
    assert stage.edit is not None
    assert stage.price is not None
    return f"  {edit_words(stage.edit)}: {stage.price.verdict}"


def _with_kept_path(plan: PlanNode, changed: PlanNode, node: PlanNode) -> PlanNode:
    """Return the plan before an edit, the tests above the edited node given as after it."""
    before = plan.copy()
    place = before
    for above, branch in path_to(changed, node):
        if place.test is None or above.test is not place.test:
            return before  # the path itself was put in
        place.is_given = True
        place = place.children[branch]
    return before


def realizer_of(model: Any, memory: Memory) -> Realizer:
    """Return what carries out plans of a fitted tree."""
    fitted = model.__dict__
    return Realizer(
        memory.growth,
        TreeSettings.from_parameters(model.get_params(deep=False)),
        fitted.get("_costs"),
        _leaf_penalty(fitted.get("pruning_path_"), model.ccp_alpha),
        check_seed(model.random_state),
    )


def _leaf_penalty(path: Any, ccp_alpha: float | None) -> float:
    if ccp_alpha is not None:
        return float(ccp_alpha)
    return 0.0 if path is None or not len(path.beta) else float(path.beta[path.chosen])


def read_edits(path: str | Path) -> list[dict[str, Any]]:
    """Return the edits of a JSON file."""
    try:
        edits = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise bad_edit(f"{str(path)!r} is not a JSON file that can be read: {error}.") from error
    if not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
        raise bad_edit(f"{str(path)!r} does not hold a list of edits.")
    return edits


def edit_words(edit: Mapping[str, Any]) -> str:
    """Return an edit in words."""
    skipped = {"edit", "node", "path", "price", "below"}
    options = {k: v for k, v in edit.items() if k not in skipped and v not in (None, [])}
    given = "".join(f", {name} {value}" for name, value in options.items())
    return f"{edit['edit']} at node {edit['node']}{given}"
