"""``python -m benchmarks.reproductions.stopping_labels``: how well labeling is stopped.

1. A pool of up to 600 rows is labeled in batches of 10 (a fifth of them check rows), the others are
   test rows that the dialogue never sees. After each batch the model is measured on them.
2. The tie begins at the first number of labels from which on the mean accuracy over draws is within
   0.01 of the model with all labels.
3. The advice is asked after each batch. Labeling stops when it says so.

Printed for each table: where the tie begins, where draws stopped, in which share of draws that was
within 20 % of the former, and what accuracy was lost by stopping. The constants of the advice were
chosen on ten other tables (``--tuning``).
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._folds import _shared
from branchline import load_dataset, read_table
from branchline.active import ActiveLearner
from branchline.forest import RandomForestClassifier
from branchline.table import Table

__all__ = ["main"]

FILES = {
    "digits": "digits_8x8/digits.csv.gz",
    "letter": "letter/letter.arff",
    "german": "german_credit/credit-g.arff",
    "satimage": "satimage/Satellite.csv.gz",
    "spambase": "spambase/spambase.arff",
    "adult": "adult/adult-train.csv.gz",
    "splice": "splice/splice.arff",
    "ionosphere": "ionosphere/ionosphere.arff",
    "heart": "heart_disease/heart.c.arff",
    "titanic": "",
}
TUNING = {
    "car": "car/car.arff",
    "pima": "pima_diabetes/diabetes.arff",
    "tictac": "tic_tac_toe/tic-tac-toe.arff",
    "mushroom": "mushroom/mushroom.arff",
    "breastw": "breast_cancer_wisconsin/breast.w.arff",
    "balance": "balance_scale/balance.scale.arff",
    "segment": "segment/segment.arff",
    "magic": "magic/telescope.csv",
    "soybean": "soybean/soybean.arff",
    "votes": "votes84/vote.arff",
}
N_POOL, N_TEST, BATCH, TIE = 600, 1500, 10, 0.01


@dataclass
class Draw:
    """One draw: accuracy at each number of labels, with all labels, and where it stopped."""

    accuracy: dict[int, float]
    whole: float
    stopped: int
    expected: float
    true_gain: float


def problem(name: str) -> tuple[Table, Any]:
    """Return inputs and classes; columns that only name rows are left out."""
    if name == "titanic":
        kept = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked", "survived"]
        table = load_dataset("titanic").select(kept)
        return table.split_target("survived")
    table = read_table(_shared({**FILES, **TUNING}[name]))
    X, y = table.split_target(table.names[-1])
    names = [one for one in X.names if one.lower() in {"id", "instance_name"}]
    return (X.drop(names) if names else X), y


def one_draw(X: Table, y: Any, seed: int, n_trees: int) -> Draw:
    """Label a pool until the advice says stop, and on to its end."""
    order = np.random.default_rng(1000 + seed).permutation(len(y))
    n_pool = min(N_POOL, int(0.6 * len(y)))
    pool, test = order[:n_pool], order[n_pool : n_pool + N_TEST]
    truth = y[pool]
    forest = RandomForestClassifier(n_estimators=n_trees, random_state=seed, n_jobs=1)
    learner = ActiveLearner(
        X.rows(pool), estimator=forest, batch_size=BATCH, random_state=seed,
        classes=np.unique(y[order[: n_pool + N_TEST]]),
    )  # fmt: skip
    rows_test, y_test = X.rows(test), y[test]
    accuracy: dict[int, float] = {}
    stopped, expected = 0, np.nan
    for rows in learner:
        learner.tell(rows, truth[rows])
        if len(np.unique(learner.labels)) < 2:
            continue
        n_labels = learner.n_labeled
        accuracy[n_labels] = float(np.mean(learner.model_.predict(rows_test) == y_test))
        if not stopped:
            advice = learner.advice(negligible=TIE)
            stopped = n_labels if advice.n_more == 0 else 0
            if n_labels >= 100 and np.isnan(expected) and advice.gain_all is not None:
                expected, at_hundred = advice.gain_all.estimate, accuracy[n_labels]
    whole = float(np.mean(learner.model_.predict(rows_test) == y_test))
    true_gain = np.nan if np.isnan(expected) else whole - at_hundred
    return Draw(accuracy, whole, stopped or learner.n_labeled, expected, true_gain)


def tie_begins(draws: Sequence[Draw]) -> int:
    """Return the number of labels from which on the mean accuracy is within the tie."""
    sizes = sorted(set.intersection(*(set(draw.accuracy) for draw in draws)))
    lost = [np.mean([draw.whole - draw.accuracy[n] for draw in draws]) for n in sizes]
    late = np.flatnonzero(np.array(lost) > TIE)
    return sizes[min(late[-1] + 1, len(sizes) - 1)] if len(late) else sizes[0]


def _mean(values: Sequence[float]) -> float | None:
    known = [one for one in values if np.isfinite(one)]
    return round(float(np.mean(known)), 4) if known else None


def main(arguments: Sequence[str]) -> int:
    """Print a line for each table, and the shares over all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tuning", action="store_true", help="the tables of the constants")
    parser.add_argument("--only", default="", help="names, with commas")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--trees", type=int, default=100)
    asked = parser.parse_args(arguments)
    limit_processes(1)
    names = asked.only.split(",") if asked.only else list(TUNING if asked.tuning else FILES)
    lines = []
    for name in names:
        X, y = problem(name)
        y = np.asarray(y).astype(str)
        draws = [one_draw(X, y, seed, asked.trees) for seed in range(asked.draws)]
        tie = tie_begins(draws)
        stops = [draw.stopped for draw in draws]
        hit = np.abs(np.array(stops) - tie) <= 0.2 * tie
        lost = [draw.whole - draw.accuracy.get(draw.stopped, draw.whole) for draw in draws]
        line = {"table": name, "tie": tie, "stops": sorted(stops), "hits": float(hit.mean()),
                "lost": _mean(lost),
                "expected_at_100": _mean([d.expected for d in draws]),
                "true_at_100": _mean([d.true_gain for d in draws])}  # fmt: skip
        print(json.dumps(line), flush=True)
        lines.append(line)
    for key in ("hits", "lost"):
        print(key, round(float(np.mean([line[key] for line in lines])), 4))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
