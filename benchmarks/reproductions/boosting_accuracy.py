"""``python -m benchmarks.reproductions.boosting_accuracy``: default boosting on seventeen sets.

1. Sets, splits and scores are those of ``forest_accuracy``: every learner gets the same splits of
   the same table. Peers run with their own defaults and their modes for categories.
2. Classification: accuracy, log loss and Brier score of the test rows. Regression: root mean
   squared error over the standard deviation of the target.
3. CatBoost makes a thousand rounds: where three repeats of its folds would take more than five
   minutes, it gets the first repeat only. Its entry says so (``folds`` of ``all_folds``), and in
   the report all learners are then scored on those folds of the set.
4. What was measured goes into ``benchmarks/results/boosting_accuracy.json`` after every learner and
   set. Peers that are there are not measured again; ours always is. ``--params`` tries settings of
   ours, which are kept and shown beside the default.

Below each table: mean ranks over the sets that all learners have (1 is best, equals share), and how
often ours is better and worse than each peer and than the best of them.
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
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._boosting_learners import CATBOOST, PACKAGES, PEERS, fit_ours
from benchmarks.reproductions._cache import Entry, key_of, read_entries
from benchmarks.reproductions._folds import DataAbsentError, Problem, Splits, fingerprint
from benchmarks.reproductions._forest_learners import Fit
from benchmarks.reproductions._forest_sets import SETS, load, make_splits
from benchmarks.reproductions.forest_accuracy import (
    CLASSIFICATION,
    CLOSE,
    OURS,
    REGRESSION,
    keep,
    measure,
    table,
)

RESULTS = Path(__file__).resolve().parents[1] / "results" / "boosting_accuracy.json"
LONG_SECONDS = 300.0
BEST = "best peer"  # of each set and score, chosen afterwards
SCORES = {**CLASSIFICATION, **REGRESSION}  # what is reported, and whether more is better


# -- measuring ------------------------------------------------------------------------------------


def measure_folds(
    problem: Problem, splits: Splits, fit: Fit, options: argparse.Namespace, *, hasty: bool
) -> Entry:
    """Return the scores of each fold and of all; a hasty learner may stop after one repeat."""
    one_repeat = len(splits) // SETS[problem.name].repeats
    folds: list[Entry] = []
    for split in splits:
        folds.append(measure(problem, [split], fit, options.seed, options.threads))
        spent = sum(fold["seconds"] for fold in folds)
        if hasty and len(folds) == one_repeat and spent * len(splits) / one_repeat > LONG_SECONDS:
            break
    each = {name: [fold[name] for fold in folds] for name in SCORES if name in folds[0]}
    rows = [len(split.test) for split in splits[: len(folds)]]
    found = {name: pooled(name, values, rows) for name, values in each.items()}
    extent = {"folds": len(folds), "all_folds": len(splits), "rows_of_fold": rows}
    return {**found, **extent, "of_fold": each, "seconds": round(spent, 3)}


def pooled(name: str, of_fold: list[float], rows: list[int]) -> float:
    """Return a score over the rows of all folds; of errors, the squares are averaged."""
    power = 2 if name in REGRESSION else 1
    return float(np.average(np.power(of_fold, power), weights=rows) ** (1 / power))


def run_set(problem: Problem, fits: dict[str, Fit], options: argparse.Namespace) -> int:
    """Measure what is not known yet, writing the file after each; return failures."""
    splits = make_splits(problem, options.seed)
    run = {"set": problem.name, "repeats": SETS[problem.name].repeats, "seed": options.seed}
    shared = {**run, "splits": fingerprint(problem, splits)}
    failures = 0
    for name, fit in fits.items():
        if _is_known({**shared, "learner": name}, options):
            continue
        try:
            entry = {**shared, "learner": name, **_described(name)}
            entry |= measure_folds(problem, splits, fit, options, hasty=name == CATBOOST)
            keep(entry, options.json)
            extent = f"{entry['folds']} of {entry['all_folds']} folds"
            _say(f"{problem.name}, {name}: {extent}, {entry['seconds']:.0f} s")
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
    package = PACKAGES.get(name, OURS)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {"version": f"{package} {version(package)}", "date": date}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# -- reporting ------------------------------------------------------------------------------------


def columns_of(entries: list[Entry], sets: list[str], score: str) -> dict[str, list[Any]]:
    """Return one score of every learner by set, None where it was not measured; ours first.

    The score of a set is over the folds that all its learners have.
    """
    known = [entry for entry in entries if score in entry]
    shared = {name: _fewest_folds(known, name) for name in sets}
    found = {
        (entry["set"], entry["learner"]): _score_on(entry, score, shared[entry["set"]])
        for entry in known
        if entry["set"] in shared
    }
    learners = sorted({one for _, one in found}, key=lambda one: (not one.startswith(OURS), one))
    return {one: [found.get((name, one)) for name in sets] for one in learners}


def _fewest_folds(entries: list[Entry], name: str) -> int:
    return min((entry["folds"] for entry in entries if entry["set"] == name), default=0)


def _score_on(entry: Entry, score: str, n_folds: int) -> float:
    of_fold, rows = entry["of_fold"][score], entry["rows_of_fold"]
    return pooled(score, of_fold[:n_folds], rows[:n_folds])


def with_best_peer(columns: dict[str, list[Any]], more_is_better: bool) -> dict[str, list[Any]]:
    """Return the columns and, for each set, the best that any peer reaches."""
    choose = max if more_is_better else min
    peers = [values for name, values in columns.items() if name in PEERS]
    of_set = [[value for value in one if value is not None] for one in zip(*peers, strict=True)]
    return {**columns, BEST: [choose(one) if one else None for one in of_set]}


def mean_ranks(columns: dict[str, list[Any]], more_is_better: bool) -> str:
    """Return the mean rank of each learner over the sets that all of them have."""
    from scipy.stats import rankdata

    of_set = [one for one in zip(*columns.values(), strict=True) if None not in one]
    if not of_set:
        return ""
    signed = np.array(of_set) * (-1 if more_is_better else 1)
    ranks = rankdata(signed, axis=1).mean(axis=0)
    parts = [f"{name} {rank:.2f}" for name, rank in zip(columns, ranks, strict=True)]
    return f"mean rank over {len(of_set)} sets: " + ", ".join(parts)


def duels(columns: dict[str, list[Any]], more_is_better: bool) -> str:
    """Return how often each of ours is better, equal (within ``CLOSE``) and worse than a peer."""
    sign = 1 if more_is_better else -1
    lines = []
    for ours in (name for name in columns if name.startswith(OURS)):
        for peer in (name for name in (*PEERS, BEST) if name in columns):
            pairs = zip(columns[ours], columns[peer], strict=True)
            gains = [sign * (a - b) for a, b in pairs if a is not None and b is not None]
            won, lost = sum(g > CLOSE for g in gains), sum(g < -CLOSE for g in gains)
            lines.append(
                f"{ours} against {peer}: {won} better, {len(gains) - won - lost} within {CLOSE}, "
                f"{lost} worse; mean {fmean(gains or [0.0]):+.4f}, "
                f"worst {min(gains, default=0.0):+.4f}"
            )
    return "\n".join(lines)


def fewer_folds(entries: list[Entry]) -> str:
    """Return which learners were measured on some folds of a set only."""
    fewer = [one for one in entries if one["folds"] < one["all_folds"]]
    return "\n".join(
        f"{one['set']}: {one['learner']} has {one['folds']} of {one['all_folds']} folds, and all "
        "are scored on those"
        for one in fewer
    )


def report(entries: list[Entry], sets: list[str]) -> str:
    """Return all tables with ranks, wins and losses below each, and seconds of fit and predict."""
    if not entries:
        return "nothing was measured"
    parts = []
    for score, more_is_better in SCORES.items():
        columns = columns_of(entries, sets, score)
        if columns:
            ranks = mean_ranks(columns, more_is_better)
            columns = with_best_peer(columns, more_is_better)
            parts += [table(score, columns, sets), ranks, duels(columns, more_is_better)]
    parts += [table("seconds", seconds_of(entries, sets), sets), fewer_folds(entries)]
    return "\n\n".join(part for part in parts if part)


def seconds_of(entries: list[Entry], sets: list[str]) -> dict[str, list[Any]]:
    """Return seconds of fit and predict by learner and set, over the folds that it was given."""
    found = {(one["set"], one["learner"]): one["seconds"] for one in entries}
    learners = dict.fromkeys(one["learner"] for one in entries)
    return {one: [found.get((name, one)) for name in sets] for one in learners}


# -- command line ---------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    limit_processes(options.threads)
    warnings.filterwarnings("ignore", "The least populated class", UserWarning)
    named = f"{OURS} {json.dumps(options.params)}" if options.params else OURS
    fits: dict[str, Fit] = {} if options.peers else {named: partial(fit_ours, options.params)}
    fits |= {} if options.ours else {name: PEERS[name] for name in options.learners}
    failures = 0
    for name in options.sets:
        try:
            failures += run_set(load(name), fits, options)
        except DataAbsentError as error:
            _say(f"{name}: skipped: {error}")
    shown = {OURS, named, *PEERS}
    entries = [one for one in read_entries(options.json).values() if one["learner"] in shown]
    entries = [one for one in entries if one["seed"] == options.seed]
    print(report([one for one in entries if one["set"] in options.sets], options.sets))
    return int(failures > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.boosting_accuracy")
    add = parser.add_argument
    add("--sets", type=_some_of(SETS), default=list(SETS), help=f"some of {','.join(SETS)}")
    add("--learners", type=_some_of(PEERS), default=list(PEERS), help="some of the peers")
    add("--params", type=json.loads, default={}, help="settings of ours, as JSON")
    add("--ours", action="store_true", help="measure only ours")
    add("--peers", action="store_true", help="measure only the peers")
    add("--again", action="store_true", help="measure peers again that are in the file")
    add("--seed", type=int, default=0, help="of the folds and of the learners (default: 0)")
    add("--threads", type=int, default=1, help="threads of every learner (default: 1)")
    add("--json", type=Path, default=RESULTS, help="file of the results")
    return parser


def _some_of(known: dict[str, Any]) -> Any:
    def names(text: str) -> list[str]:
        for name in text.split(","):
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {name!r}; there are: {', '.join(known)}")
        return text.split(",")

    return names


if __name__ == "__main__":
    sys.exit(main())
