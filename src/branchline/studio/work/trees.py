"""The tree workshop: the drawing, its nodes, edits with their prices, sequences, the dialogue."""

from typing import Any

from branchline.errors import ParameterError
from branchline.studio.work._desk import Desk
from branchline.studio.work._model_files import keep_model
from branchline.studio.work._tree_script import tree_script
from branchline.studio.work._tree_state import TreeAtWork, tree_at_work

__all__ = [
    "drawing_of",
    "edit_tree",
    "save_tree",
    "tree_answers",
    "tree_growth",
    "tree_path",
    "tree_sequence",
    "tree_stability",
    "view_node",
    "view_tree",
]

_MOST_REASONS, _MOST_TESTS, _MOST_SAMPLE = 40, 60, 20
_MOST_STEPS = 400


def view_tree(desk: Desk, id: str) -> dict[str, Any]:
    """Return the drawing, the nodes, the rules, the edits with their prices, and the script."""
    made = tree_at_work(desk, id)
    model = made.shown
    return {
        "tree": _public(made),
        "svg": model.draw(width=1500).svg,
        "text": model.to_text(),
        "leaves": model.get_n_leaves(),
        "depth": model.get_depth(),
        "nodes": _nodes(model),
        "rules": [str(rule) for rule in model.rules()][:200],
        "target": made.problem.target_name,
        "task": made.problem.task,
        "classes": None if made.problem.classes is None else made.problem.classes.tolist(),
        "inputs": list(made.problem.table.names),
        "set_aside": [finding.name for finding in made.problem.set_aside],
        "mean_questions": model.mean_depth_,
        "script": tree_script(made),
    }


def _public(made: TreeAtWork) -> dict[str, Any]:
    document = made.document
    total = None
    if len(made.edits) > 1:
        total = made.editor.price().to_dict()
    return {
        **{name: document[name] for name in ("id", "table", "settings", "revision")},
        "edits": [
            {"words": entry["words"], "price": entry["price"]}
            for entry in document["edits"][: len(made.edits)]
        ],
        "can_redo": bool(document["undone"]),
        "total": total,
    }


def _nodes(model: Any) -> list[dict[str, Any]]:
    frame = model.to_frame("polars")
    names = ("node", "parent", "depth", "condition", "question", "column", "weight", "prediction")
    kept = frame.select([name for name in names if name in frame.columns])
    return list(kept.head(2000).to_dicts())


def view_node(desk: Desk, id: str, node: int, column: str | None) -> dict[str, Any]:
    """Return a node: the tests that were considered, and some of its rows."""
    made = tree_at_work(desk, id)
    model, table = made.shown, made.problem.table
    why = model.why(node, column=column)
    inside = _rows_below(model, table, node)
    shown = inside[:_MOST_SAMPLE]
    used = list(model.used_columns_)[:8] or list(table.names[:8])
    part = table.rows(shown).select(used)
    cells = [part.column(name).to_list() for name in used]
    targets = made.problem.target[shown].tolist() if len(shown) else []
    field = None if column is None else table.schema[column]
    return {
        "node": node,
        "verdict": why.verdict,
        "impurity": why.impurity,
        "surrogates": list(why.surrogates),
        "reasons": [vars(reason) for reason in why.reasons[: _MOST_TESTS if column else 40]],
        "is_leaf": bool(model.tree_.is_leaf[node]),
        "n_rows": len(inside),
        "row_numbers": [int(row) for row in shown],
        "columns": [*used, made.problem.target_name],
        "rows": [
            [*(_text(values[at]) for values in cells), _text(targets[at])]
            for at in range(len(shown))
        ],
        "kind": None if field is None else field.kind,
        "categories": None if field is None else list(field.categories or ()),
    }


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _rows_below(model: Any, table: Any, node: int) -> Any:
    """Return the numbers of the rows that come to a node."""
    import numpy as np

    parent, ends = model.tree_.parent, model.apply(table)
    below = {node}
    for each in range(node + 1, model.tree_.n_nodes):
        if int(parent[each]) in below:
            below.add(each)
    return np.flatnonzero(np.isin(ends, list(below)))


def edit_tree(
    desk: Desk, id: str, revision: int, action: str, edit: dict[str, Any] | None
) -> dict[str, Any]:
    """Make an edit, take the last one back, make it again, or take all back."""
    made = tree_at_work(desk, id)
    document = made.document
    edits = document["edits"][: len(made.edits)]  # others do not fit the table any more
    undone = list(document["undone"])
    if action == "undo" and edits:
        undone.append(edits.pop())
    elif action == "redo" and undone:
        edits.append(undone.pop())
    elif action == "reset":
        edits, undone = [], []
    elif action == "edit" and edit is not None:
        result = made.apply(dict(edit))
        told = result.to_dict()
        price = told.pop("price")
        words = str(result).split(": ", 1)[0]
        edits.append({"edit": told, "words": words, "price": price})
        undone = []
    else:
        raise ParameterError("There is no such edit to make or to take back.", code="P561")
    desk.workspace.change("trees", id, revision, {"edits": edits, "undone": undone})
    return view_tree(desk, id)


def tree_path(desk: Desk, id: str, row: int) -> dict[str, Any]:
    """Return the way of a row, with a drawing that brings it out."""
    made = tree_at_work(desk, id)
    table = made.problem.table
    if not 0 <= row < table.n_rows:
        raise ParameterError(
            f"There are {table.n_rows:,} rows, counted from 0; got {row}.", code="P960", rows=[row]
        )
    one = table.rows([row])
    return {
        "row": row,
        "of": table.n_rows,
        "text": str(made.shown.path(one)),
        "truth": _text(made.problem.target[row]),
        "svg": made.shown.draw(one, width=1500).svg,
    }


def tree_answers(desk: Desk, id: str, answers: list[Any]) -> dict[str, Any]:
    """Return the next question after some answers, and what the tree predicts so far."""
    model = tree_at_work(desk, id).shown
    dialogue = model.ask()
    asked = []
    for given in answers:
        question = dialogue.question
        if question is None:
            break
        dialogue.answer(given)
        asked.append(
            {"question": question.text, "answer": "don't know" if given is None else given}
        )
    question = dialogue.question
    outcome = dialogue.outcome
    return {
        "asked": asked,
        "question": None if question is None else _told(question),
        "outcome": outcome.to_dict(),
        "words": str(outcome),
        "mean": model.mean_depth_,
    }


def _told(question: Any) -> dict[str, Any]:
    return {
        "text": question.text,
        "column": question.column,
        "choices": list(question.choices),
        "is_number": not question.categories,
    }


def tree_stability(desk: Desk, id: str) -> dict[str, Any]:
    """Return how often trees of resampled rows ask the same, on the drawing and per node."""
    found = tree_at_work(desk, id).shown.stability(n_trees=100)
    return {**found.to_dict(), "svg": found.draw(width=1500).svg}


def tree_sequence(desk: Desk, id: str) -> dict[str, Any]:
    """Return the trees that pruning goes through, with both errors."""
    found = tree_at_work(desk, id).model.pruning_sequence(method="cost_complexity")
    return {**found.to_dict(), "svg": found.draw().to_svg(640)}


def tree_growth(desk: Desk, id: str) -> dict[str, Any]:
    """Return the curve of the tree as it grows split by split."""
    found = tree_at_work(desk, id).model.growing_curve()
    told = found.to_dict()
    cut = {name: told[name][:_MOST_STEPS] for name in ("n_leaves", "question", "growing")}
    held = told["held_out"][:_MOST_STEPS]
    return {**told, **cut, "held_out": held, "description_length": None,
            "svg": found.draw().to_svg(640)}  # fmt: skip


def save_tree(desk: Desk, id: str, name: str) -> dict[str, Any]:
    """Keep the tree as a model of the workspace."""
    made = tree_at_work(desk, id)
    model = made.shown
    return keep_model(desk.workspace, model, name, made.problem.table, made.problem.target_name)


def drawing_of(desk: Desk, id: str) -> str:
    """Return the drawing alone, to be saved."""
    svg: str = tree_at_work(desk, id).shown.draw(width=1500).svg
    return svg
