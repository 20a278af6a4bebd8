"""``python -m benchmarks.reproductions.identifiers``: what columns that name rows cost.

1. To each set one column is added that tells nothing: an id, a counter, a code, a name, a free
   text, a phone number, a time stamp, an e-mail address, a random key, an address; then all ten.
2. ``compare`` is called with and without the column, on the same folds. Where the column is set
   aside, both are the same problem (the fingerprints of the rows are equal), and no score can
   differ: nothing is fitted. Where it is not, all learners are fitted, and the loss of accuracy is
   given in standard errors of the paired difference.
3. Then the columns are kept as inputs (``keep``), which measures the learners themselves: all of
   the catalog. ``--quick`` does both parts on two small sets with three variants.

Set aside, no column may cost any learner more than one standard error.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.reproductions._folds import DataAbsentError
from benchmarks.reproductions._forest_sets import SETS, load
from branchline import Table, load_dataset
from branchline.assess import Comparison, carry_out, make_plan, make_problem
from branchline.table import dataset_info, dataset_names

Rng = np.random.Generator
_SYLLABLES = [first + last for first in "bdklm" for last in "aeiou"]
_ADDED = "added_"
_QUICK_SETS, _QUICK_VARIANTS = ("heart", "iris"), ("id", "text", "all ten")
_FEWEST_ROWS = 100  # of examples with twenty rows nothing can be said


def _word(rng: Rng, n_syllables: int) -> str:
    return "".join(rng.choice(_SYLLABLES, n_syllables))


def _names(rng: Rng, n: int) -> list[str]:
    return [f"{_word(rng, 3).title()}, {_word(rng, 2).title()} {row % 97}" for row in range(n)]


def _texts(rng: Rng, n: int) -> list[str]:
    return [" ".join(_word(rng, rng.integers(1, 4)) for _ in range(9)) for _ in range(n)]


def _phones(rng: Rng, n: int) -> list[str]:
    return [f"+41 79 {at // 10_000:03d} {at % 10_000:04d}" for at in rng.permutation(9_000_000)[:n]]


def _stamps(rng: Rng, n: int) -> Any:
    seconds = np.sort(rng.choice(300_000_000, n, replace=False))
    return (np.datetime64("2015-01-01T00:00:00") + seconds)[rng.permutation(n)]


COLUMNS: dict[str, Callable[[Rng, int], Any]] = {
    "id": lambda rng, n: [f"P{row:05d}" for row in rng.permutation(n)],
    "counter": lambda rng, n: rng.permutation(n) + 1,
    "code": lambda rng, n: rng.integers(10**9, 10**10, n),
    "name": _names,
    "text": _texts,
    "phone": _phones,
    "stamp": _stamps,
    "email": lambda rng, n: [f"{_word(rng, 3)}{row}@{_word(rng, 2)}.org" for row in range(n)],
    "key": lambda rng, n: [rng.bytes(8).hex() for _ in range(n)],
    "address": lambda rng, n: [f"{_word(rng, 3).title()} street {row}" for row in range(n)],
}


def with_columns(table: Table, which: Sequence[str], seed: int = 0) -> Table:
    """Return a table with columns that only name rows."""
    rng = np.random.default_rng(seed)
    added = {f"{_ADDED}{name}": COLUMNS[name](rng, table.n_rows) for name in which}
    return Table(table.to_pandas().assign(**added))


def sets(wanted: Sequence[str] | None, most_rows: int) -> dict[str, tuple[Table, str]]:
    """Return tables of classes with the names of their targets, those of up to ``n_rows`` rows."""
    found: dict[str, tuple[Table, str]] = {}
    for name in dataset_names():
        info = dataset_info(name)
        if info.task == "classification" and info.target is not None:
            table = load_dataset(name)
            if name == "titanic":
                table = table.drop(["boat", "body"])  # they tell the outcome
            found[name] = (table, info.target)
    for name, source in SETS.items():
        if name in found or source.regression or name in {"covertype", "adult", "letter"}:
            continue
        try:
            problem = load(name)
        except DataAbsentError:
            continue
        frame = problem.X.to_pandas().assign(the_class=problem.y)
        found[name] = (Table(frame), "the_class")
    return {
        name: pair
        for name, pair in found.items()
        if (wanted is None or name in wanted) and _FEWEST_ROWS <= pair[0].n_rows <= most_rows
    }


def _compare(table: Table, target: str, learners: str, folds: int, keep: Sequence[str]) -> Any:
    problem = make_problem(table, target, task="classification", keep=keep)
    plan = make_plan("classification", learners=learners, n_folds=folds)
    return plan, problem


def loss_in_errors(plain: Comparison, other: Comparison, label: str) -> float:
    """Return the loss of accuracy in standard errors of the paired difference."""
    hits = [_hits(found, label)[np.argsort(found.tested_rows(label))] for found in (plain, other)]
    differences = hits[0] - hits[1]
    error = float(differences.std(ddof=1)) / np.sqrt(len(differences))
    mean = float(differences.mean())
    return 0.0 if mean == 0 else mean / max(error, 1e-12)


def _hits(found: Comparison, label: str) -> Any:
    outcome = found.outcome(label)
    return (outcome.truth == outcome.predicted).astype(float)


@dataclass(frozen=True)
class Work:
    """What is measured.

    Parameters
    ----------
    sets, most_rows
        Names of sets (None: all), and the rows above which a set is left out.
    learners, n_folds
        As ``compare`` takes them.
    variants
        Which columns are added together, by name.
    """

    sets: Sequence[str] | None
    most_rows: int
    learners: str
    n_folds: int
    variants: Mapping[str, Sequence[str]]


def measure(work: Work, is_kept: bool) -> dict[tuple[str, str, str], float]:
    """Return the loss of each learner on each set with each variant."""
    losses: dict[tuple[str, str, str], float] = {}
    for name, (table, target) in sets(work.sets, work.most_rows).items():
        plan, problem = _compare(table, target, work.learners, work.n_folds, ())
        plain = None
        for variant, columns in work.variants.items():
            more = with_columns(table, columns)
            keep = [f"{_ADDED}{column}" for column in columns] if is_kept else []
            _, other = _compare(more, target, work.learners, work.n_folds, keep)
            if other.fingerprint == problem.fingerprint:
                losses |= {(name, variant, learner.label): 0.0 for learner in plan.learners}
                print(f"{name:<16} {variant:<8} set aside: the same problem", flush=True)
                continue
            plain = plain or carry_out(plan, problem)
            found = carry_out(plan, other)
            for label in found.labels:
                losses[name, variant, label] = loss_in_errors(plain, found, label)
            worst = max(found.labels, key=lambda label: losses[name, variant, label])
            told = f"worst: {worst} {losses[name, variant, worst]:+.2f} standard errors"
            failed = f"; failed: {', '.join(found.failures)}" if found.failures else ""
            print(f"{name:<16} {variant:<8} {told}{failed}", flush=True)
    return losses


def print_table(losses: Mapping[tuple[str, str, str], float], variants: Sequence[str]) -> None:
    """Print the largest loss of each learner with each variant, over all sets."""
    print("\nlargest loss over sets, in standard errors")
    print(f"{'':<18}" + "".join(f"{variant:>9}" for variant in variants))
    for label in dict.fromkeys(label for _, _, label in losses):
        of = {v: [] for v in variants}  # type: dict[str, list[float]]
        for (_, variant, one), loss in losses.items():
            if one == label:
                of[variant].append(loss)
        worst = [max(of[variant], default=float("nan")) for variant in variants]
        print(f"{label:<18}" + "".join(f"{loss:>9.2f}" for loss in worst))
    highest = max(losses.values())
    print(f"largest of all: {highest:.2f} standard errors ({'holds' if highest <= 1 else 'NOT'})\n")


def _work(arguments: argparse.Namespace) -> Work:
    variants = {**{name: [name] for name in COLUMNS}, "all ten": list(COLUMNS)}
    if arguments.quick:
        variants = {name: variants[name] for name in _QUICK_VARIANTS}
        chosen = arguments.sets or list(_QUICK_SETS)
        return Work(chosen, arguments.most_rows, arguments.learners, 3, variants)
    given = arguments.sets, arguments.most_rows, arguments.learners, arguments.folds
    return Work(*given, variants)


def main() -> None:
    """Measure, and print a table: the largest loss of each learner with each column."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=None, help="names of sets; all by default")
    parser.add_argument("--most-rows", type=int, default=5000, help="leave larger sets out")
    parser.add_argument("--learners", default="all", help="as compare takes them")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="two small sets, three variants")
    parser.add_argument("--only", choices=("aside", "kept"), help="one of the two parts only")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    work = _work(arguments)
    for part in ("aside", "kept"):
        if arguments.only in {None, part}:
            print(f"columns {'kept as inputs' if part == 'kept' else 'set aside'}")
            print_table(measure(work, part == "kept"), list(work.variants))


if __name__ == "__main__":
    main()
