"""``python -m benchmarks.reproductions.boosting_defaults``: boosting with nothing set.

1. Every learner gets the same splits of the same tables (``_defaults_sets``), one thread, and its
   defaults; peers get categories in the way their library takes them.
2. Classification: accuracy and log loss of the test rows. Regression: R² against the mean of the
   training rows. Time: CPU seconds of ``fit``.
3. CatBoost and our settings of version 0.1 take long. They get the first split of tables of up to
   1,500 rows and ten classes only, and stand in a table of their own, beside the others on those
   splits.
4. What was measured goes into ``benchmarks/results/boosting_defaults.json``; what is there is not
   measured again, ours excepted (``--keep`` keeps it too). The tables go into ``docs``.
"""

import argparse
import json
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._boosting_learners import PEERS, fit_ours
from benchmarks.reproductions._defaults_sets import (
    CHECKED,
    CHOSEN,
    IDENTIFIERS,
    TABLES,
    DataTable,
    splits_of,
)
from benchmarks.reproductions._folds import DataAbsentError, Split
from benchmarks.reproductions._forest_learners import Fit
from benchmarks.reproductions._simulated_tables import SIMULATED
from branchline.table import as_table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "boosting_defaults.json"
PAGE = ROOT / "docs" / "boosting-defaults.md"
OURS, BEFORE = "branchline", "branchline 0.1"
# The defaults of version 0.1.
OLD = {
    "n_estimators": "auto",
    "learning_rate": 0.05,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 20,
    "l2_regularization": 1.0,
    "subsample": 0.7,
    "max_features": None,
    "tree_features": 0.7,
    "category_l2": 10.0,
    "category_penalty": 0.0,
    "min_samples_category": 1,
}
FITS: dict[str, Fit] = {
    OURS: partial(fit_ours, {}),
    **PEERS,
    BEFORE: partial(fit_ours, OLD),
}
SLOW = ("catboost", BEFORE)
SLOW_ROWS, SLOW_CLASSES = 1500, 10
QUICK = tuple(name for name in FITS if name not in SLOW)
SCORES = {"accuracy": True, "log loss": False, "R²": True}  # and whether more is better
Entry = dict[str, Any]


# -- measuring ------------------------------------------------------------------------------------


def measure(data: DataTable, split: Split, fit: Fit) -> Entry:
    """Return the scores and CPU seconds of one fit."""
    X, y = data.X.rows(split.train), data.y[split.train]
    begin = time.process_time()
    fitted = fit(X, y, 0, 1)
    seconds = time.process_time() - begin
    found = np.asarray(fitted.predict(data.X.rows(split.test)))
    truth = data.y[split.test]
    if data.is_regression:
        left = np.sum((truth - found) ** 2) / np.sum((truth - y.mean()) ** 2)
        return {"R²": 1 - float(left), "seconds": seconds}
    classes = np.asarray(fitted.classes)
    is_own = classes[None, :] == truth[:, None]
    share = np.where(is_own, found, 0).sum(axis=1)
    right = classes[found.argmax(axis=1)] == truth
    lost = -np.log(np.clip(share, 1e-7, 1))
    return {"accuracy": float(right.mean()), "log loss": float(lost.mean()), "seconds": seconds}


def warm_up(learners: list[str]) -> None:
    """Fit each learner once, so that no time of importing libraries is measured."""
    columns, y = SIMULATED["tiny"](np.random.default_rng(0))
    for learner in learners:
        try:
            FITS[learner](as_table(columns), y, 0, 1)
        except ModuleNotFoundError as error:
            _say(f"{learner}: not installed: {error}")


def is_large(data: DataTable) -> bool:
    """Whether slow learners are not measured on a table."""
    n_classes = 1 if data.is_regression else len(np.unique(data.y))
    return len(data.y) > SLOW_ROWS or n_classes > SLOW_CLASSES


def run(name: str, learners: list[str], known: dict[str, Any], options: Any) -> None:
    """Measure what is not known yet of a table."""
    data = TABLES[name]()
    splits = splits_of(data)
    for learner in learners:
        if name in known.get(learner, {}) and (learner != OURS or options.keep):
            continue
        if learner in SLOW and is_large(data):
            continue
        used = splits[:1] if learner in SLOW else splits
        try:
            entries = [measure(data, split, FITS[learner]) for split in used]
        except Exception as error:  # a table that a library refuses is left out for it
            _say(f"{name}, {learner}: failed: {type(error).__name__}: {error}")
            continue
        known.setdefault(learner, {})[name] = entries
        _say(f"{name}, {learner}: {sum(one['seconds'] for one in entries):.2f} s")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# -- reporting ------------------------------------------------------------------------------------


def page(known: dict[str, Any]) -> str:
    """Return the page of the docs."""
    parts = [
        "# Boosting with nothing set",
        "Made by `python -m benchmarks.reproductions.boosting_defaults`. Each learner has its own "
        "defaults and one thread. Means over tables; CPU seconds of `fit` as a multiple of "
        "LightGBM's, for all tables together and for the worst table.",
        "The settings of rounds, rows, leaves and columns were chosen on one half of the tables "
        "and checked on the other; the penalty of categories was chosen on tables of both halves.",
    ]
    for title, tables in (
        ("Tables the defaults were checked on", CHECKED),
        ("Tables the defaults were chosen on", CHOSEN),
        ("Identifiers, names and tickets", list(IDENTIFIERS)),
    ):
        parts += [f"## {title}", summary(known, tables, QUICK, None)]
    refused = [name for name in TABLES if name not in known.get("scikit-learn", {})]
    parts += [
        "## Tables of more than 255 categories",
        "scikit-learn refuses these, so they are not in the tables above: " + ", ".join(refused),
        summary(known, refused, tuple(name for name in QUICK if name != "scikit-learn"), None),
        "## CatBoost, and our defaults before",
        f"These take long, so they got the first split of tables of up to {SLOW_ROWS:,} rows and "
        f"{SLOW_CLASSES} classes. The others are shown on the same splits; tables of both halves. "
        "Version 0.1 are its settings with the present search for the number of rounds, which is "
        "several times cheaper.",
        summary(known, [*CHECKED, *CHOSEN], (OURS, *SLOW, "lightgbm"), 1),
        "## Each table",
        "Accuracy and log loss, or R²; CPU seconds of a fit.",
        details(known),
    ]
    return "\n\n".join(parts) + "\n"


def summary(known: dict[str, Any], tables: list[str], learners: Any, n_splits: int | None) -> str:
    """Return a Markdown table: a line for each learner."""
    shared = [one for one in tables if all(one in known.get(who, {}) for who in learners)]
    kinds = {score: [t for t in shared if score in known[OURS][t][0]] for score in SCORES}
    heads = [f"{score} ({len(names)} tables)" for score, names in kinds.items() if names]
    lines = [["learner", *heads, "CPU, all", "CPU, worst"]]
    for learner in learners:
        cells = [
            f"{fmean(mean(known[learner][t], score, n_splits) for t in names):.4f}"
            for score, names in kinds.items()
            if names
        ]
        own = [mean(known[learner][t], "seconds", n_splits) for t in shared]
        base = [mean(known["lightgbm"][t], "seconds", n_splits) for t in shared]
        worst = max((a / b for a, b in zip(own, base, strict=True)), default=0)
        ratio = sum(own) / max(sum(base), 1e-9)
        lines.append([learner, *cells, f"{ratio:.2f}×", f"{worst:.1f}×"])
    return markdown(lines)


def mean(entries: list[Entry], score: str, n_splits: int | None) -> float:
    """Return the mean of a score over the first splits; None: over all."""
    return fmean(entry[score] for entry in entries[:n_splits])


def details(known: dict[str, Any]) -> str:
    """Return a line for each table."""
    lines = [["table", *QUICK]]
    for name in TABLES:
        cells = [_cell(known.get(learner, {}).get(name)) for learner in QUICK]
        lines.append([name, *cells])
    return markdown(lines)


def _cell(entries: list[Entry] | None) -> str:
    if not entries:
        return "—"
    scores = [f"{mean(entries, score, None):.3f}" for score in SCORES if score in entries[0]]
    return f"{' / '.join(scores)} ({mean(entries, 'seconds', None):.2f} s)"


def markdown(lines: list[list[str]]) -> str:
    """Return a Markdown table whose first line is the head."""
    rows = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([rows[0], "|---" + "|---:" * (len(lines[0]) - 1) + "|", *rows[1:]])


# -- command line ---------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    limit_processes(1)
    warnings.simplefilter("ignore")
    warm_up(options.learners)
    known = json.loads(options.json.read_text("utf-8")) if options.json.exists() else {}
    for name in options.tables:
        try:
            run(name, options.learners, known, options)
        except DataAbsentError as error:
            _say(f"{name}: skipped: {error}")
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    if options.write:
        PAGE.write_text(page(known), encoding="utf-8")
    else:
        print(page(known))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.boosting_defaults")
    add = parser.add_argument
    add("--tables", type=lambda text: text.split(","), default=list(TABLES), help="some of them")
    add("--learners", type=lambda text: text.split(","), default=list(FITS), help="some of them")
    add("--keep", action="store_true", help="do not measure ours again either")
    add("--write", action="store_true", help=f"write docs/{PAGE.name}")
    add("--json", type=Path, default=RESULTS, help="file of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
