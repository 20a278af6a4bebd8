"""``python -m benchmarks.reproductions.forest_accuracy``: default forests on seventeen data sets.

1. Every set is split once: sets up to 5 000 rows by 3 × 10 folds, larger ones by 5, the two largest
   by 3 (stratified by class). All learners get the very same splits, as the same table.
2. scikit-learn's forest takes numbers only, so it is fitted on ordinal codes and on one-hot
   columns; the better of the two, of each set and score, chosen afterwards, counts.
3. Classification: accuracy, log loss (probabilities below 1e-15 are raised to it) and Brier score
   of the test rows. Regression: root mean squared error over the standard deviation of the target.
4. What was measured goes into ``benchmarks/results/forest_accuracy.json`` after every learner and
   set. Peers that are there are not measured again; ours always is. ``--params`` tries settings of
   ours, which are kept and shown beside the default.

YDF has its own defaults too: 300 trees, at most 16 levels, each tree one vote.
"""

import argparse
import json
import sys
import warnings
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._cache import Entry, key_of, read_entries, write_entries
from benchmarks.reproductions._folds import DataAbsentError, Problem, Splits, fingerprint
from benchmarks.reproductions._forest_learners import (
    ENCODED,
    PACKAGES,
    PEERS,
    YDF,
    Fit,
    fit_ours,
)
from benchmarks.reproductions._forest_sets import SETS, load, make_splits

RESULTS = Path(__file__).resolve().parents[1] / "results" / "forest_accuracy.json"
LEAST_CHANCE = 1e-15
CLOSE = 0.002  # accuracies, log losses and errors that differ by less are called equal
OURS = "branchline"
BEST = "scikit-learn"  # the better of its two encodings
# what is printed of an entry, and whether more is better
CLASSIFICATION = {"accuracy": True, "log_loss": False, "brier": False}
REGRESSION = {"relative_rmse": False}


# -- measuring ------------------------------------------------------------------------------------


def measure(problem: Problem, splits: Splits, fit: Fit, seed: int, threads: int) -> Entry:
    """Return the mean of each score over the rows of all splits, each fold's, and seconds."""
    folds, seconds = [], 0.0
    for train, test in splits:
        X, y, X_test = problem.X.rows(train), problem.y[train], problem.X.rows(test)
        begin = perf_counter()
        fitted = fit(X, y, seed, threads)
        said = np.asarray(fitted.predict(X_test))
        seconds += perf_counter() - begin
        folds.append(_scores(said, fitted.classes, problem.y[test]))
    sizes = [len(split.test) for split in splits]
    each = {name: [fold[name] for fold in folds] for name in folds[0]}
    found = {name: float(np.average(values, weights=sizes)) for name, values in each.items()}
    if "squared_error" in found:
        found["relative_rmse"] = float(np.sqrt(found["squared_error"]) / problem.y.std())
    return {**found, "of_fold": each, "seconds": round(seconds, 3)}


def _scores(said: Any, classes: Any, y: Any) -> dict[str, float]:
    if classes is None:
        return {"squared_error": float(np.mean((said - y) ** 2))}
    # A class that the training rows lack has no column: its chance is 0.
    place = {name: at for at, name in enumerate(classes)}
    column = np.array([place.get(label, -1) for label in y])
    own = np.where(column < 0, 0.0, said[np.arange(len(y)), column])
    brier = np.sum(said**2, axis=1) - 2 * own + 1
    return {
        "accuracy": float(np.mean(classes[said.argmax(axis=1)] == y)),
        "log_loss": float(-np.mean(np.log(np.maximum(own, LEAST_CHANCE)))),
        "brier": float(np.mean(brier)),
    }


def run_set(problem: Problem, fits: dict[str, Fit], options: argparse.Namespace) -> int:
    """Measure what is not known yet, writing the file after each; return failures."""
    splits = make_splits(problem, options.seed)
    run = {"set": problem.name, "repeats": SETS[problem.name].repeats, "seed": options.seed}
    shared = {**run, "splits": fingerprint(problem, splits)}
    only_numbers = all(column.kind == "numeric" for column in problem.X.columns)
    failures = 0
    for name, fit in fits.items():
        if only_numbers and name == ENCODED[1]:
            continue  # there is nothing to encode
        if _is_known({**shared, "learner": name}, options):
            continue
        try:
            entry = {**shared, "learner": name, **_described(name)}
            entry |= measure(problem, splits, fit, options.seed, options.threads)
            keep(entry, options.json)
            _say(f"{problem.name}, {name}: {entry['seconds']:.0f} s")
        except ModuleNotFoundError as error:
            _say(f"{problem.name}, {name}: not installed: {error}")
        except Exception as error:  # one learner's trouble is a line of the report
            failures += 1
            _say(f"{problem.name}, {name}: failed: {type(error).__name__}: {error}")
    return failures


def _is_known(entry: Entry, options: argparse.Namespace) -> bool:
    if entry["learner"].startswith(OURS) or options.again:
        return False
    known = read_entries(options.json).get(key_of(entry))
    return known is not None and known["splits"] == entry["splits"]


def _described(name: str) -> Entry:
    package = PACKAGES.get(name, "branchline")
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {"version": f"{package} {version(package)}", "date": date}


def keep(entry: Entry, path: Path) -> None:
    """Put one entry into the file as it is now: another run may have written meanwhile."""
    entries = read_entries(path)
    entries[key_of(entry)] = entry
    write_entries(entries.values(), path)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# -- reporting ------------------------------------------------------------------------------------


def columns_of(entries: list[Entry], sets: list[str], name: str) -> dict[str, list[Any]]:
    """Return one score of every learner by set, None where it was not measured."""
    found = {(entry["set"], entry["learner"]): entry[name] for entry in entries if name in entry}
    learners = dict.fromkeys(learner for _, learner in found)
    return {one: [found.get((of, one)) for of in sets] for one in learners}


def with_best_encoding(columns: dict[str, list[Any]], more_is_better: bool) -> dict[str, list[Any]]:
    """Return ours, the better of scikit-learn's encodings of each set, then the others."""
    choose = max if more_is_better else min
    encoded = zip(*(columns[name] for name in ENCODED if name in columns), strict=True)
    known = [[value for value in both if value is not None] for both in encoded]
    best = {BEST: [choose(values) if values else None for values in known]} if known else {}
    ours = {name: values for name, values in columns.items() if name.startswith(OURS)}
    return {**dict(sorted(ours.items())), **best, **columns, **ours}


def table(title: str, columns: dict[str, list[Any]], sets: list[str]) -> str:
    """Return a Markdown table, a row a set; averages are over the sets that all learners have."""
    rows = [[title, *columns]]
    rows += [
        [name, *map(_cell, values)]
        for name, *values in zip(sets, *columns.values(), strict=True)
        if any(value is not None for value in values)
    ]
    shown = [name for name in columns if name not in ENCODED]
    whole = [at for at in range(len(sets)) if all(columns[one][at] is not None for one in shown)]
    averages = [[columns[one][at] for at in whole] for one in columns]
    rows.append([f"average of {len(whole)}", *map(_average, averages)])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * len(columns) + "|", *lines[1:]])


def _cell(value: float | None) -> str:
    return "—" if value is None else f"{value:.4f}"


def _average(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _cell(fmean(known) if known and len(known) == len(values) else None)


def duels(columns: dict[str, list[Any]], more_is_better: bool) -> str:
    """Return how often each of ours is better, equal (within ``CLOSE``) and worse than a peer."""
    sign = 1 if more_is_better else -1
    lines = []
    for ours in (name for name in columns if name.startswith(OURS)):
        for peer in (name for name in (BEST, YDF) if name in columns):
            pairs = zip(columns[ours], columns[peer], strict=True)
            gains = [sign * (a - b) for a, b in pairs if a is not None and b is not None]
            won, lost = sum(g > CLOSE for g in gains), sum(g < -CLOSE for g in gains)
            lines.append(
                f"{ours} against {peer}: {won} better, {len(gains) - won - lost} within {CLOSE}, "
                f"{lost} worse; worst {min(gains, default=0.0):+.4f}"
            )
    return "\n".join(lines)


def report(entries: list[Entry], sets: list[str]) -> str:
    """Return all tables, with wins and losses below each, and seconds of fit and predict."""
    parts = []
    for score, more_is_better in {**CLASSIFICATION, **REGRESSION}.items():
        columns = columns_of(entries, sets, score)
        if columns:
            columns = with_best_encoding(columns, more_is_better)
            parts += [table(score, columns, sets), duels(columns, more_is_better)]
    parts.append(table("seconds", columns_of(entries, sets, "seconds"), sets))
    return "\n\n".join(part for part in parts if part)


# -- command line ---------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    limit_processes(options.threads)
    warnings.filterwarnings("ignore", "The least populated class", UserWarning)
    named = f"{OURS} {json.dumps(options.params)}" if options.params else OURS
    fits: dict[str, Fit] = {} if options.peers else {named: partial(fit_ours, options.params)}
    fits |= {} if options.ours else PEERS
    failures = 0
    for name in options.sets:
        try:
            failures += run_set(load(name), fits, options)
        except DataAbsentError as error:
            _say(f"{name}: skipped: {error}")
    shown = {OURS, named, *PEERS}
    entries = [one for one in read_entries(options.json).values() if one["learner"] in shown]
    entries = [one for one in entries if one["seed"] == options.seed]
    print(report(entries, options.sets))
    return int(failures > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.forest_accuracy")
    add = parser.add_argument
    add("--sets", type=_sets, default=list(SETS), help=f"some of {','.join(SETS)}")
    add("--params", type=json.loads, default={}, help="settings of ours, as JSON")
    add("--ours", action="store_true", help="measure only ours")
    add("--peers", action="store_true", help="measure only the peers")
    add("--again", action="store_true", help="measure peers again that are in the file")
    add("--seed", type=int, default=0, help="of the folds and of the forests (default: 0)")
    add("--threads", type=int, default=1, help="threads of every forest (default: 1)")
    add("--json", type=Path, default=RESULTS, help="file of the results")
    return parser


def _sets(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in SETS:
            raise argparse.ArgumentTypeError(f"no {name!r}; there are: {', '.join(SETS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
