"""``python -m benchmarks.reproductions.tree_accuracy``: single trees on ten data sets.

1. Every set is split by repeated stratified 10-fold cross-validation, once; all learners get the
   very same splits.
2. A learner that has been measured on these splits is not measured again, unless it is ours, whose
   code changes, or ``--again`` asks for it.
3. Errors, leaves and seconds go into ``benchmarks/results/tree_accuracy.json`` after every learner;
   a Markdown table of all that is known of the splits is printed.

Weka and R are Debian packages: ``apt-get install weka default-jdk-headless r-base-core
r-cran-rpart``. A learner that is not installed is a line in the report. The rest, ours included, is
in the environment that ``make .stamps/bench`` builds; it holds a copy of the package.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from benchmarks._peers import limit_processes
from benchmarks.reproductions._cache import (
    Entry,
    Key,
    key_of,
    markdown,
    read_entries,
    summarize,
    write_entries,
)
from benchmarks.reproductions._folds import (
    SETS,
    DataAbsentError,
    Learner,
    Problem,
    Splits,
    fingerprint,
    load_problem,
    make_splits,
)
from benchmarks.reproductions._in_python import SKLEARN, SKLEARN_PRUNED, YDF, our_learner
from benchmarks.reproductions._rpart import RPART, RPART_1SE
from benchmarks.reproductions._weka import J48

RESULTS = Path(__file__).resolve().parents[1] / "results" / "tree_accuracy.json"

MEASURED = "measured"

# name here → class in branchline.tree; one that does not exist yet is left out
OURS = {
    "default": "DecisionTreeClassifier",
    "c45": "C45",
    "cart": "CART",
}
PEERS = {
    "j48": J48,
    "rpart": RPART,
    "rpart-1se": RPART_1SE,
    "sklearn": SKLEARN,
    "sklearn-pruned": SKLEARN_PRUNED,
    "ydf": YDF,
}


def learners() -> dict[str, Learner]:
    """Return all learners by name, ours first."""
    ours = {name: our_learner(attribute) for name, attribute in OURS.items()}
    return {name: one for name, one in ours.items() if one is not None} | PEERS


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    options = _parser().parse_args(arguments)
    entries = read_entries(options.json)
    failures = 0
    for name in options.sets:
        try:
            problem = load_problem(name)
        except DataAbsentError as error:
            _say(f"{name}: skipped: {error}")
            continue
        failures += _run_set(problem, options, entries)
    run = (options.repeats, options.seed)
    print(markdown(entries, options.sets, list(learners()), run))
    return int(failures > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.tree_accuracy")
    add = parser.add_argument
    add("--sets", type=_names_in(SETS), default=list(SETS), help=f"some of {','.join(SETS)}")
    known = learners()
    help_text = f"some of {','.join(known)} (default: all)"
    add("--learners", type=_names_in(known), default=list(known), help=help_text)
    add("--repeats", type=int, default=3, help="times 10 folds (default: 3)")
    add("--seed", type=int, default=0, help="of the folds and of learners that draw (default: 0)")
    add("--again", action="store_true", help="measure peers again that are in the file")
    add("--json", type=Path, default=RESULTS, help="file of the results")
    return parser


def _names_in(known: Iterable[str]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        given = text.split(",")
        for name in given:
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {name!r}; there are: {', '.join(known)}")
        return given

    return names


def _run_set(problem: Problem, options: argparse.Namespace, entries: dict[Key, Entry]) -> int:
    """Measure the chosen learners on one set, writing the file after each; return failures."""
    splits = make_splits(problem.y, options.repeats, options.seed)
    run = {"set": problem.name, "repeats": options.repeats, "seed": options.seed}
    shared = {**run, "splits": fingerprint(problem, splits)}
    _forget_other_splits(entries, shared)
    failures = 0
    for name in options.learners:
        entry: Entry = {**shared, "learner": name}
        learner = learners()[name]
        if key_of(entry) in entries and not (learner.ours or options.again):
            continue
        measured = _try(problem, splits, learner, options.seed)
        _say(f"{problem.name}, {name}: {measured['status']}")
        failures += measured["status"].startswith("failed")
        if measured.pop("status") == MEASURED:
            entries[key_of(entry)] = entry | measured
            write_entries(entries.values(), options.json)
    return failures


def _forget_other_splits(entries: dict[Key, Entry], shared: Entry) -> None:
    """Drop the entries of this set and run that were made on other rows or folds."""
    run = ("set", "repeats", "seed")
    for key, entry in list(entries.items()):
        if all(entry[name] == shared[name] for name in run) and entry["splits"] != shared["splits"]:
            del entries[key]


def _try(problem: Problem, splits: Splits, learner: Learner, seed: int) -> Entry:
    """Return what was measured; under "status" whether it was, and why not."""
    begin = perf_counter()
    try:
        version = learner.version()
        found = summarize(learner.measure(problem, splits, seed), splits)
    except ModuleNotFoundError as error:
        return {"status": f"not installed: {error}"}
    except Exception as error:  # one learner's trouble is a line of the report
        return {"status": f"failed: {type(error).__name__}: {error}"}
    date = datetime.now(UTC).isoformat(timespec="seconds")
    wall = round(perf_counter() - begin, 2)
    return {"status": MEASURED, "version": version, "date": date, "wall_seconds": wall, **found}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
