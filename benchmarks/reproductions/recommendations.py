"""``python -m benchmarks.reproductions.recommendations``: what each preference loses.

1. A set with many rows stands for the truth. Again and again a few hundred of its rows are drawn;
   the learners are compared on them by folds, as a user would.
2. Each learner is then fitted on all the rows drawn and scored on the rows that were not drawn:
   that is its true accuracy (or R²), as nearly as can be known.
3. Each preference ("accuracy", "balance", "simplicity") recommends a learner from the comparison
   alone. Its loss is the true score of the best learner less that of the recommended one.

Printed are the mean loss, the share of draws with a loss of more than one point and of more than
three, and how often the recommended model is one that a person can read.
"""

import argparse
import itertools
import warnings
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.reproductions._folds import DataAbsentError
from benchmarks.reproductions._forest_sets import SETS, load
from branchline.assess import Comparison, carry_out, make_plan, make_problem
from branchline.assess.comparing._recommend import PREFERENCES, recommend

_SETS = ("german-credit", "titanic", "adult", "spambase", "magic", "satimage", "segment", "letter")
_MOST_TESTED = 4000
_READABLE = {"baseline", "one_rule", "tree", "logistic", "lda", "naive_bayes", "stump", "ridge"}
LEARNERS = "one_rule,tree,naive_bayes,logistic,lda,random_forest,gradient_boosting"


def draw(name: str, n_rows: int, seed: int, learners: str, folds: int) -> tuple[Comparison, Any]:
    """Return the comparison on rows drawn from a set, and the true scores of the learners."""
    problem, rng = load(name), np.random.default_rng(seed)
    task = "regression" if SETS[name].regression else "classification"
    order = rng.permutation(problem.X.n_rows)
    own, rest = order[:n_rows], order[n_rows : n_rows + _MOST_TESTED]
    drawn = make_problem(problem.X.rows(own), problem.y[own], task=task)
    found = carry_out(make_plan(task, learners=learners, n_folds=folds), drawn)
    truth = {}
    for label in found.labels:
        said = np.asarray(found.fit(label).predict(problem.X.rows(rest)))
        truth[label] = _score(said, problem.y[rest], task)
    return found, truth


def _score(said: Any, y: Any, task: str) -> float:
    if task == "classification":
        return float(np.mean(said == y))
    return float(1 - np.mean((said - y) ** 2) / np.var(y))


def chosen(found: Comparison, prefer: str) -> str:
    """Return what a preference recommends."""
    return recommend(replace(found, plan=replace(found.plan, prefer=prefer))).learner


def main() -> None:
    """Draw, compare, recommend, and print what is lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=list(_SETS))
    parser.add_argument("--rows", nargs="*", type=int, default=[150, 500])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--learners", default=LEARNERS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    losses: dict[str, list[tuple[float, bool]]] = {prefer: [] for prefer in PREFERENCES}
    cases = itertools.product(arguments.sets, arguments.rows, range(arguments.draws))
    for name, n_rows, seed in cases:
        try:
            found, truth = draw(name, n_rows, seed, arguments.learners, arguments.folds)
        except DataAbsentError:
            continue
        best, told = max(truth.values()), []
        for prefer in PREFERENCES:
            label = chosen(found, prefer)
            losses[prefer].append((best - truth[label], label in _READABLE))
            told.append(f"{prefer} {label} {100 * (best - truth[label]):.1f}")
        print(f"{name} {n_rows} {seed}: {'; '.join(told)}", flush=True)
    _print(losses)


def _print(losses: dict[str, list[tuple[float, bool]]]) -> None:
    print(
        f"\n{'preference':<12}{'draws':>7}{'mean loss':>11}{'> 1 point':>11}{'> 3':>7}{'read':>7}"
    )
    for prefer, each in losses.items():
        lost = [loss for loss, _ in each]
        shares = [fmean(loss > margin for loss in lost) for margin in (0.01, 0.03)]
        read = fmean(is_read for _, is_read in each)
        print(
            f"{prefer:<12}{len(each):>7}{100 * fmean(lost):>11.2f}"
            f"{shares[0]:>11.0%}{shares[1]:>7.0%}{read:>7.0%}"
        )


if __name__ == "__main__":
    main()
