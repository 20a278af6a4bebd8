"""The exact Python and the exact command line of what was done, to be shown beside it.

Both are made of the same document as the action itself; tests carry them out and compare.
"""

import shlex
from typing import Any

from branchline.table import dataset_info
from branchline.table.files import DEFAULT_MISSING

__all__ = [
    "Script",
    "call_of",
    "compare_script",
    "flags_of",
    "look_script",
    "read_lines",
    "script_of",
]

Script = dict[str, str]

# Options of ``compare`` in the studio, with their flags.
_FLAGS = {
    "learners": "--learners",
    "metric": "--metric",
    "n_folds": "--folds",
    "n_repeats": "--repeats",
    "tuning": "--tune",
    "positive": "--positive",
    "prefer": "--prefer",
    "random_state": "--seed",
    "time_budget": "--time-budget",
    "group": "--group",
    "time_column": "--time-column",
}


def read_lines(document: dict[str, Any], known_target: bool = False) -> list[str]:
    """Return the lines of Python after which ``table`` is the table of a document.

    With ``known_target``, rows without a target are left out.
    """
    kinds, drop, missing = document["kinds"], document["drop"], document["missing"]
    if document["dataset"]:
        lines = [f"table = bl.load_dataset({document['dataset']!r})"]
        lines += [f"table = table.with_kinds({kinds!r})"] if kinds else []
        lines += [f"table = table.drop({drop!r})"] if drop else []
    else:
        given = [repr(document["name"])]
        given += [f"kinds={kinds!r}"] if kinds else []
        given += [f"missing={[*DEFAULT_MISSING, *missing]!r}"] if missing else []
        given += [f"drop={drop!r}"] if drop else []
        lines = [f"table = bl.read_table({', '.join(given)})"]
    if known_target:
        lines.append(f"table = table.rows(~table.column({document['target']!r}).is_missing)")
    return ["import branchline as bl", "", *lines]


def flags_of(document: dict[str, Any], known_target: bool = False) -> list[str]:
    """Return how the command line reads the same table."""
    kinds = dict(document["kinds"])
    if document["dataset"]:
        kinds = {**dataset_info(document["dataset"]).kinds, **kinds}
    words: list[str] = []
    for name, kind in kinds.items():
        if name not in document["drop"]:
            words += ["--kind", f"{name}={kind}"]
    for flag in ("drop", "missing"):
        for name in document[flag]:
            words += [f"--{flag}", name]
    if document["dataset"]:  # in a short table of texts, names could be taken for a row
        words.append("--header")
    return [*words, *(["--known-only"] if known_target else [])]


def script_of(document: dict[str, Any], python: list[str], words: list[str]) -> Script:
    """Return both texts; a bundled table is first written to a file."""
    command = shlex.join(["branchline", *words])
    if document["dataset"]:
        save = ["branchline", "datasets", document["dataset"], "--save", document["name"]]
        command = f"{shlex.join(save)}\n{command}"
    return {"python": "\n".join(python), "command": command}


def look_script(document: dict[str, Any]) -> Script:
    """Return how the table is looked at."""
    target = document["target"]
    named = [] if target is None else ["--target", target]
    shown = f"print(table.look({'' if target is None else repr(target)}))"
    words = ["look", document["name"], *named, *flags_of(document)]
    return script_of(document, [*read_lines(document), shown], words)


def call_of(name: str, *given: str, **options: Any) -> str:
    """Return a call in Python."""
    named = [f"{key}={value!r}" for key, value in options.items()]
    return f"{name}({', '.join([*given, *named])})"


def compare_script(
    document: dict[str, Any], options: dict[str, Any], known_target: bool = False
) -> Script:
    """Return how learners are compared, and the report written."""
    target = document["target"]
    found = call_of("bl.compare", "table", repr(target), **options)
    report = f"{document['name'].split('.')[0]}-report.html"
    python = [
        *read_lines(document, known_target),
        f"found = {found}",
        "print(found)",
        f"bl.write_report(found, {report!r})",
    ]
    words = ["compare", document["name"], "--target", target]
    for name, value in options.items():
        text = ",".join(value) if isinstance(value, list) else str(value)
        words += [_FLAGS[name], f"{text}s" if name == "time_budget" else text]
    words += [*flags_of(document, known_target), "--report", report]
    return script_of(document, python, words)
