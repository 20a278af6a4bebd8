"""A tree of the workshop: fitted from its document, its edits made again where they are missing.

1. The key of a tree is its table (with revision) and its settings; fitted trees are remembered.
2. An editor holds the edits that were made in this process. Where a document has others, edits are
   taken back to the last common one, and the rest is made again.
"""

import json
from dataclasses import dataclass
from typing import Any

from branchline.assess import Problem, make_problem
from branchline.catalog import make
from branchline.errors import BranchlineError, DataError, ParameterError
from branchline.studio.work._desk import Desk
from branchline.studio.work._sources import table_of, target_of
from branchline.table import Table

__all__ = ["METHODS", "TreeAtWork", "known_rows", "tree_at_work", "used_document"]

METHODS = ("tree", "c45", "cart", "id3", "one_rule", "stump")


@dataclass
class TreeAtWork:
    """A fitted tree, its rows, and its editor once there are edits.

    Parameters
    ----------
    document, source
        The documents of the tree and of its table.
    problem
        The rows and the target.
    model
        The tree as it was fitted.
    editor
        Its editor; None before the first edit.
    """

    document: dict[str, Any]
    source: dict[str, Any]
    problem: Problem
    model: Any
    editor: Any = None
    finished: tuple[int, Any] = (0, None)

    @property
    def edits(self) -> list[dict[str, Any]]:
        """The edits that the editor has made."""
        return [] if self.editor is None else list(self.editor.edits)

    @property
    def shown(self) -> Any:
        """The tree with its edits."""
        n_edits = len(self.edits)
        if not n_edits:
            return self.model
        if self.finished[0] != n_edits or self.finished[1] is None:
            self.finished = (n_edits, self.editor.finish())
        return self.finished[1]

    def apply(self, edit: dict[str, Any]) -> Any:
        """Make an edit and return its result."""
        if self.editor is None:
            self.editor = self.model.edit()
        self.finished = (0, None)
        return self.editor.apply(edit)

    def undo(self) -> None:
        """Take the last edit back."""
        self.finished = (0, None)
        self.editor.undo()


def used_document(source: dict[str, Any]) -> dict[str, Any]:
    """Return a table's document without the columns that are not inputs of a model."""
    others = [source[one] for one in ("group", "time_column") if source.get(one)]
    return {**source, "drop": list(dict.fromkeys([*source["drop"], *others]))}


def known_rows(table: Table, target: str) -> tuple[Table, bool]:
    """Return the rows whose target is known, and whether there are others."""
    missing = table.column(target).is_missing
    if missing.all():
        raise DataError("Every value of the target is missing.", code="D071", column=target)
    return (table.rows(~missing), True) if missing.any() else (table, False)


def tree_at_work(desk: Desk, id: str) -> TreeAtWork:
    """Return the tree of a document with its edits."""
    document = desk.workspace.read("trees", id)
    source, table = table_of(desk, document["table"])
    settings = document["settings"]
    key = ("tree", id, source["revision"], json.dumps(settings, sort_keys=True))
    made: TreeAtWork = desk.remembered(key, lambda: _fitted(document, source, table))
    made.document = document
    _bring_to(made, [entry["edit"] for entry in document["edits"]])
    return made


def _fitted(document: dict[str, Any], source: dict[str, Any], table: Table) -> TreeAtWork:
    target = target_of(source)
    used = used_document(source)
    rows, _ = known_rows(table.drop([c for c in used["drop"] if c in table.names]), target)
    problem = make_problem(rows, target)
    settings = dict(document["settings"])
    method = settings.pop("method", "tree")
    model = make(method, task=problem.task, random_state=0, **settings)
    if not hasattr(model, "edit"):
        raise ParameterError(f"{method} cannot be edited.", code="P960", values=[method])
    return TreeAtWork(document, source, problem, model.fit(problem.table, problem.target))


def _bring_to(made: TreeAtWork, wanted: list[dict[str, Any]]) -> None:
    """Take back or make edits until they are the wanted ones."""
    there = [_named(edit) for edit in made.edits]
    asked = [_named(edit) for edit in wanted]
    common = 0
    while common < min(len(there), len(asked)) and there[common] == asked[common]:
        common += 1
    for _ in range(len(there) - common):
        made.undo()
    for edit in wanted[common:]:
        try:
            made.apply(edit)
        except BranchlineError:  # the table was changed, and this edit does not fit it any more
            break


def _named(edit: dict[str, Any]) -> str:
    told = {key: value for key, value in edit.items() if key not in {"path", "price"}}
    return json.dumps(told, sort_keys=True, default=str)
