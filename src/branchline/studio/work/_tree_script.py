"""The exact Python and command line of a tree of the workshop, with its edits."""

import json
from typing import Any

from branchline.studio.work._scripts import Script, call_of, flags_of, read_lines, script_of
from branchline.studio.work._tree_state import TreeAtWork, used_document

__all__ = ["tree_script"]


def tree_script(made: TreeAtWork) -> Script:
    """Return how the tree is grown, edited and read."""
    source = used_document(made.source)
    target, settings = source["target"], dict(made.document["settings"])
    method = settings.pop("method", "tree")
    known = made.problem.n_rows < made.source["rows"]
    grown = call_of("bl.make", repr(method), task=made.problem.task, random_state=0, **settings)
    python = [
        *read_lines(source, known),
        f"problem = bl.assess.make_problem(table, {target!r})",
        f"tree = {grown}.fit(problem.table, problem.target)",
    ]
    words = ["tree", source["name"], "--target", target]
    words += ["--method", method] if method != "tree" else []
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    words += flags_of(source, known)
    edits = [_plain_edit(edit) for edit in made.edits]
    if edits:
        python += ["editor = tree.edit()"]
        python += [f"print(editor.apply({edit!r}))" for edit in edits]
        python += ["tree = editor.finish()"]
        words += ["--edit", "edits.json"]
    script = script_of(source, [*python, "print(tree.to_text())"], words)
    if edits:
        note = json.dumps(edits, ensure_ascii=False)
        script["command"] = f"cat > edits.json <<'END'\n{note}\nEND\n{script['command']}"
    return script


def _plain_edit(edit: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in edit.items() if name not in {"path", "price"}}
