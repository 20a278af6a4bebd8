"""``python -m benchmarks.reproductions.equal_learners``: false alarms, power, and noise.

Tables are drawn from populations that are known (``coverage_grid`` has the intervals).

1. Size: how often two learners that are equally good by symmetry are called different (p < 0.05).
2. Power: how often a learner that sees all columns is called better than the same learner that sees
   half of them.
3. Noise: how often the baseline is advised when 50 rows and 1 000 columns tell nothing.

Learners are cheap: thousands of fits must take minutes.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._cheap_learners import (
    Floats,
    Learner,
    Predict,
    baseline,
    best_ten,
    discriminant,
    least_squares,
    naive_bayes,
    nearest,
    on_columns,
    stump,
    tree,
)
from branchline._row_scores import Origin, RowValues
from branchline.assess._metrics import METRICS, Metric
from branchline.assess._outcome import Outcome
from branchline.assess._paired_tests import difference_over_rows
from branchline.assess._row_values import row_values
from branchline.assess.comparing._recommend import DOUBT

OF_CLASSES = ("accuracy", "auc", "log_loss")
OF_NUMBERS = ("rmse", "mae")


# -- populations ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Population:
    """Normal columns, the first ``n_telling`` of which tell something.

    Parameters
    ----------
    kind
        "classes" (means ``strength`` apart), "numbers" (a sum plus normal noise) or "heavy" (noise
        of a t distribution with 5 degrees of freedom).
    n_columns, strength, share, n_telling
        Columns; how much they tell in all; the share of class 1; columns that tell.
    """

    kind: str
    n_columns: int = 5
    strength: float = 1.5
    share: float = 0.5
    n_telling: int = 5

    def draw(self, n_rows: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return a table and its target."""
        X = rng.normal(size=(n_rows, self.n_columns))
        each = self.strength / np.sqrt(self.n_telling)
        if self.kind == "classes":
            y = (rng.random(n_rows) < self.share).astype(np.float64)
            X[:, : self.n_telling] += each * (y[:, None] - 0.5)
            return X, y
        noise = rng.normal(size=n_rows) if self.kind == "numbers" else rng.standard_t(5, n_rows)
        return X, each * X[:, : self.n_telling].sum(axis=1) + noise

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is measured."""
        return OF_CLASSES if self.kind == "classes" else OF_NUMBERS

    def outcome(self, y: Floats, said: Floats) -> Outcome:
        """Return predictions beside the truth."""
        if self.kind != "classes":
            return Outcome(y, said)
        probabilities = np.c_[1 - said, said]
        return Outcome(y.astype(np.intp), (said > 0.5).astype(np.intp), probabilities, (0, 1))


@dataclass(frozen=True)
class Setting:
    """Learners on tables of a population, cross-validated."""

    population: Population
    learners: dict[str, Learner]
    n_rows: int
    n_folds: int = 10
    n_repeats: int = 1
    chooses_one_column: bool = False

    def describe(self) -> str:
        """Return the setting in a few words."""
        p = self.population
        tells = f"{p.strength:g}" if p.strength else "noise"
        return f"{self.n_rows} × {p.n_columns} {p.kind}, {tells}; {self.n_folds} × {self.n_repeats}"


def deal(y: Floats, setting: Setting, rng: np.random.Generator) -> Any:
    """Return the test sets of all repeats, stratified for classes."""
    keys = y if setting.population.kind == "classes" else np.zeros(len(y))
    for _ in range(setting.n_repeats):
        order = np.lexsort((rng.random(len(y)), keys))
        yield from (np.sort(order[start :: setting.n_folds]) for start in range(setting.n_folds))


@dataclass(frozen=True, eq=False)
class Trial:
    """What a learner did on one table: test sets, and models for fresh rows."""

    parts: list[Outcome]
    origin: Origin
    one_fold: Predict
    final: Predict


def trials(setting: Setting, n_draws: int, seed: int = 0) -> Iterator[dict[str, Trial]]:
    """Draw tables and cross-validate all learners on the same test sets."""
    rng = np.random.default_rng(seed)
    population = setting.population
    for _ in range(n_draws):
        X, y = population.draw(setting.n_rows, rng)
        tests = list(deal(y, setting, rng))
        n_train = setting.n_rows * (1 - 1 / setting.n_folds)
        origin = Origin(np.concatenate(tests), n_train, setting.n_repeats)
        found = {}
        for name, learner in setting.learners.items():
            models = [learner(np.delete(X, test, axis=0), np.delete(y, test)) for test in tests]
            parts = [
                population.outcome(y[test], model(X[test]))
                for test, model in zip(tests, models, strict=True)
            ]
            found[name] = Trial(parts, origin, models[0], learner(X, y))
        yield found


# -- what is counted ------------------------------------------------------------------------------


def _values(metric: Metric, parts: list[Outcome]) -> RowValues:
    found = row_values(metric, parts)
    assert found is not None
    return found


def false_alarms(setting: Setting, metric: str, n_draws: int, seed: int = 0) -> float:
    """Return how often the first two learners are called different at 5 %."""
    alarms = 0
    for found in trials(setting, n_draws, seed):
        first, second = list(found.values())[:2]
        values = [_values(METRICS[metric], trial.parts) for trial in (first, second)]
        chosen = {"chooses_one_column": setting.chooses_one_column}
        alarms += difference_over_rows(*values, first.origin, **chosen).p_value < 0.05
    return alarms / n_draws


def baseline_advised(setting: Setting, n_draws: int, seed: int = 0) -> float:
    """Return how often no learner is shown to be more accurate than the baseline."""
    advised = 0
    for found in trials(setting, n_draws, seed):
        values = {name: _values(METRICS["accuracy"], one.parts) for name, one in found.items()}
        worst = values.pop("baseline")
        against = [
            difference_over_rows(one, worst, found["baseline"].origin) for one in values.values()
        ]
        wanted = 1 - DOUBT / len(against)
        advised += not any(
            one.mean.estimate > one.negligible and one.p_above >= wanted for one in against
        )
    return advised / n_draws


# -- settings -------------------------------------------------------------------------------------

PLAIN: dict[str, Learner] = {
    "discriminant": discriminant,
    "naive Bayes": naive_bayes,
    "tree": tree,
    "stump": stump,
    "1-nearest": nearest,
}
NUMBERS: dict[str, Learner] = {
    "least squares": least_squares,
    "tree": tree,
    "stump": stump,
    "1-nearest": nearest,
}
SELECTING: dict[str, Learner] = {"stump": stump, "best ten": best_ten, "tree": tree}


def equal_pairs(learner: Learner) -> dict[str, Learner]:
    """Return a learner on the first five columns and on the next five, which tell as much."""
    return {"left": on_columns(learner, slice(5)), "right": on_columns(learner, slice(5, 10))}


def unequal_pairs(learner: Learner) -> dict[str, Learner]:
    """Return a learner on all ten columns and on the first five of them."""
    return {"all": learner, "half": on_columns(learner, slice(5))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.equal_learners")
    parser.add_argument("--draws", type=int, default=300, help="tables a setting (default: 300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learners", nargs="*", help="only these, by name (default: all)")
    parser.add_argument("--rows", type=int, nargs="*", default=[50, 200])
    parser.add_argument("--noise", action="store_true", help="only the tables of noise")
    options = parser.parse_args(arguments)
    if not options.noise:
        _print_pairs(options)
    if options.learners is None:
        _print_noise(options.draws, options.seed)
    return 0


def _print_pairs(options: argparse.Namespace) -> None:
    twice = {"classes": Population("classes", 10, 2.0, n_telling=10)}
    twice["numbers"] = Population("numbers", 10, 1.0, n_telling=10)
    print("| learner | rows | metric | equal, called different % | unequal, found % |")
    print("|---|--:|---|--:|--:|")
    for kind, learners in {"classes": PLAIN, "numbers": NUMBERS}.items():
        population = twice[kind]
        sizes = ((50, population.metrics[0]), (200, population.metrics[-1]))
        asked = [name for name in learners if name in (options.learners or learners)]
        for name, (n_rows, metric) in product(asked, sizes):
            if n_rows not in options.rows:
                continue
            chosen = {"chooses_one_column": name == "stump"}
            shares = [
                false_alarms(
                    Setting(population, pair(learners[name]), n_rows, **chosen),
                    metric,
                    options.draws,
                    options.seed,
                )
                for pair in (equal_pairs, unequal_pairs)
            ]
            figures = " | ".join(f"{100 * share:.1f}" for share in shares)
            print(f"| {name} | {n_rows} | {metric} | {figures} |", flush=True)


def _print_noise(n_draws: int, seed: int) -> None:
    learners = {"baseline": baseline, **SELECTING, "naive Bayes": naive_bayes}
    print("\n| 50 × 1000 noise | baseline advised % |\n|---|--:|")
    for folds in (5, 10):
        setting = Setting(Population("classes", 1000, 0.0), learners, 50, folds)
        share = baseline_advised(setting, n_draws, seed)
        print(f"| {folds} folds | {100 * share:.1f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
