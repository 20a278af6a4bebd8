"""``python -m benchmarks.reproductions.tree_defaults``: trees with nothing set, on 62 tables.

1. Each table of ``_tree_sets`` is split by 10-fold cross-validation, three times where it has fewer
   than 1,500 rows; all learners get the same splits.
2. Ours, Weka's J48 (classes) and YDF's CART are fitted with their defaults. What is in the file of
   results is not measured again, unless it is ours and ``--again`` is given.
3. A Markdown table is printed: accuracy, or the share of the variance explained, in percent, with
   the leaves and the milliseconds of a fit. ``--write`` puts it into ``docs/trees.md``.

``_weka`` says where Weka is looked for. A peer that is not installed has no column.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._folds import Problem, Splits
from benchmarks.reproductions._in_python import ydf_columns
from benchmarks.reproductions._tree_sets import CLASSES, NUMBERS, half_of, load, splits_of
from benchmarks.reproductions._weka import measure_j48

RESULTS = Path(__file__).resolve().parents[1] / "results" / "tree_defaults.json"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "trees.md"

# What was seen of one fit: loss on the test rows (errors, or squared errors), leaves, seconds.
Seen: TypeAlias = tuple[float, int, float]
Results: TypeAlias = dict[str, list[Seen]]


def _loss(problem: Problem, test: Any, predicted: Any) -> float:
    if problem.name in NUMBERS:
        return float(((predicted - problem.y[test]) ** 2).sum())
    return float((np.asarray(predicted).astype(str) != problem.y[test]).sum())


def _ours(problem: Problem, splits: Splits) -> list[Seen]:
    from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

    make = DecisionTreeRegressor if problem.name in NUMBERS else DecisionTreeClassifier
    seen = []
    for train, test in splits:
        X, begin = problem.X.rows(train), process_time()
        model = make(n_jobs=1).fit(X, problem.y[train])
        seconds = process_time() - begin
        loss = _loss(problem, test, model.predict(problem.X.rows(test)))
        seen.append((loss, int(model.tree_.n_leaves), seconds))
    return seen


def _j48(problem: Problem, splits: Splits) -> list[Seen]:
    if problem.name in NUMBERS:
        raise ModuleNotFoundError("J48 predicts classes only")
    return [(float(wrong), leaves, s) for wrong, leaves, s in measure_j48(problem, splits, 0)]


def _ydf(problem: Problem, splits: Splits) -> list[Seen]:
    import ydf

    ydf.verbose(0)
    is_number = problem.name in NUMBERS
    task = ydf.Task.REGRESSION if is_number else ydf.Task.CLASSIFICATION
    seen = []
    for train, test in splits:
        learner = ydf.CartLearner(label="y", task=task, num_threads=1, random_seed=0)
        columns, begin = ydf_columns(problem.X.rows(train)), process_time()
        model = learner.train({**columns, "y": problem.y[train]})
        seconds = process_time() - begin
        rows = ydf_columns(problem.X.rows(test))
        predicted = model.predict(rows) if is_number else model.predict_class(rows)
        leaves = (model.num_nodes() + 1) // 2  # every test is binary
        seen.append((_loss(problem, test, predicted), leaves, seconds))
    return seen


LEARNERS: dict[str, Callable[[Problem, Splits], list[Seen]]] = {
    "branchline": _ours,
    "J48": _j48,
    "YDF": _ydf,
}


def _splits(problem: Problem) -> Splits:
    return splits_of(problem, 3 if problem.X.n_rows < 1500 else 1, 0)


def _measure(name: str, results: Results, *, again: bool) -> None:
    """Measure on one table what is not known yet."""
    wanted = [
        one for one in LEARNERS if f"{name}/{one}" not in results or (again and one == "branchline")
    ]
    problem = load(name) if wanted else None
    for learner in wanted:
        assert problem is not None
        try:
            results[f"{name}/{learner}"] = LEARNERS[learner](problem, _splits(problem))
        except ModuleNotFoundError as error:
            print(f"{name}, {learner}: {error}", file=sys.stderr)


def _base(name: str) -> list[float]:
    """Return what a constant loses on each test set: its rows, or its squares about the mean."""
    problem = load(name)
    if name in CLASSES:
        return [float(len(split.test)) for split in _splits(problem)]
    y = problem.y
    return [float(((y[test] - y[train].mean()) ** 2).sum()) for train, test in _splits(problem)]


def score(name: str, seen: list[Seen], base: list[float]) -> tuple[float, float, float]:
    """Return the score in percent, the mean number of leaves, and the milliseconds of a fit."""
    loss, leaves, seconds = np.array(seen, dtype=float).T
    if name in CLASSES:
        kept = float(np.mean(1 - loss / np.array(base)))
    else:
        kept = 1 - float(loss.sum()) / sum(base)
    return 100 * kept, float(leaves.mean()), 1000 * float(seconds.mean())


def markdown(results: Results, names: list[str], peer: str) -> list[str]:
    """Return the lines of one table: ours beside a peer, and the means of both halves."""
    lines = [f"| table | branchline | leaves | ms | {peer} | leaves |", "|---|--:|--:|--:|--:|--:|"]
    rows = {}
    for name in names:
        found = [results.get(f"{name}/{learner}") for learner in ("branchline", peer)]
        if all(found):
            base = _base(name)
            rows[name] = [score(name, seen, base) for seen in found if seen]
            lines.append(_line(name, *rows[name]))
    for title, half in (("chosen on", "choose"), ("verified on", "verify"), ("all", None)):
        some = [row for name, row in rows.items() if half in (None, half_of(name))]
        if some:
            lines.append(_line(f"**mean, {title}: {len(some)}**", *np.mean(some, axis=0)))
    return lines


def _line(name: str, ours: Any, theirs: Any) -> str:
    cells = f"{ours[0]:.1f} | {ours[1]:.1f} | {ours[2]:.0f} | {theirs[0]:.1f} | {theirs[1]:.1f}"
    return f"| {name} | {cells} |"


def put_into_page(marker: str, lines: list[str]) -> None:
    """Put lines between the two comments of docs/trees.md that bear the marker's name."""
    begin, end = (f"<!-- {marker}: {word} -->" for word in ("begin", "end"))
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(before + "\n".join([begin, *lines, end]) + after, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.tree_defaults")
    parser.add_argument("--sets", default=",".join([*CLASSES, *NUMBERS]))
    parser.add_argument("--again", action="store_true", help="measure ours again")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/trees.md")
    options = parser.parse_args(arguments)
    results: Results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    names = options.sets.split(",")
    for name in names:
        _measure(name, results, again=options.again)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results))
    tables = [
        *("Accuracy in percent, beside Weka's J48:", ""),
        *markdown(results, [name for name in names if name in CLASSES], "J48"),
        *("", "Share of the variance explained, in percent, beside YDF's CART:", ""),
        *markdown(results, [name for name in names if name in NUMBERS], "YDF"),
    ]
    print("\n".join(tables))
    if options.write:
        put_into_page("tree_defaults", tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
