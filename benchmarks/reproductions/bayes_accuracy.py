"""``python -m benchmarks.reproductions.bayes_accuracy``: naive Bayes on ten mixed or messy sets.

1. Every set is split once by stratified 10-fold cross-validation; all learners get the same folds
   and the same pandas frame.
2. scikit-learn's naive Bayes learners each take one kind of column, so a frame is encoded for them,
   in six ways; encoding is part of their fit, as it is for a person with a frame.
3. Accuracy, log loss and seconds (fit and predict) of all folds are printed as a Markdown table and
   written to ``benchmarks/results/bayes_accuracy.json``.

"The best encoding" is the one with the highest accuracy over the ten sets.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks._data import data_folder
from benchmarks._peers import limit_processes
from benchmarks.reproductions._folds import (
    SETS,
    DataAbsentError,
    Problem,
    SharedFile,
    Splits,
    load_problem,
    make_splits,
)
from branchline import Table, load_dataset, read_table

RESULTS = Path(__file__).resolve().parents[1] / "results" / "bayes_accuracy.json"
ADULT_ROWS = 10_000
MORE_SETS = {
    "penguins": SharedFile("penguins/penguins.csv", "species"),
    "adult": SharedFile("adult/adult-train.csv.gz", ""),  # the target is the last column
}
# Columns that tell the outcome (boat, body), or name a row.
TITANIC_LEFT_OUT = ("boat", "body", "name", "ticket", "cabin", "home.dest", "home_dest")
NAMES = (
    *("german-credit", "titanic", "heart", "hepatitis", "adult", "mushroom", "soybean"),
    *("votes84", "breast-cancer-ljubljana", "penguins"),
)


class Score(NamedTuple):
    """What was measured on all folds of a set."""

    accuracy: float
    log_loss: float
    seconds: float


Fit = Callable[[Any, Any, list[str], list[str]], Any]


def load(name: str) -> Problem:
    """Return a data set, without columns that tell the outcome."""
    if name == "titanic":
        table = load_dataset("titanic")
        return _problem(
            name, table.drop([n for n in TITANIC_LEFT_OUT if n in table.names]), "survived"
        )
    if name in SETS:
        return load_problem(name)
    where, folder = MORE_SETS[name], data_folder()
    if folder is None or not (folder / where.path).exists():
        raise DataAbsentError(f"{where.path} is not in the folder of real data (BRANCHLINE_DATA)")
    table = read_table(folder / where.path)
    table = table.rows(slice(0, ADULT_ROWS)) if name == "adult" else table
    return _problem(name, table, where.target or table.names[-1])


def _problem(name: str, table: Table, target: str) -> Problem:
    y = np.array([str(label) for label in table.column(target).to_list()])
    return Problem(name, table, table.drop(target), y)


# -- learners -------------------------------------------------------------------------------------


def ours(numeric: str) -> Fit:
    """Return the fit of our learner."""

    def fit(X: Any, y: Any, numbers: list[str], words: list[str]) -> Any:
        from branchline.bayes import NaiveBayes

        return NaiveBayes(numeric=numeric).fit(X, y)

    return fit


def one_hot_gaussian(X: Any, y: Any, numbers: list[str], words: list[str]) -> Any:
    """Fit GaussianNB on numbers and one-hot columns; medians in place of missing numbers."""
    from sklearn.naive_bayes import GaussianNB

    return _pipeline(_median(), _one_hot(), GaussianNB(), numbers, words).fit(X, y)


def binned_categorical(n_bins: int) -> Fit:
    """Return the fit of CategoricalNB on ordinal categories and binned numbers."""

    def fit(X: Any, y: Any, numbers: list[str], words: list[str]) -> Any:
        from sklearn.naive_bayes import CategoricalNB

        sizes = [X[name].nunique() + 2 for name in words]
        model = CategoricalNB(min_categories=[n_bins] * len(numbers) + sizes)
        return _pipeline(_bins(n_bins, "ordinal"), _ordinal(), model, numbers, words).fit(X, y)

    return fit


def one_hot_bernoulli(X: Any, y: Any, numbers: list[str], words: list[str]) -> Any:
    """Fit BernoulliNB on one-hot categories and one-hot bins."""
    from sklearn.naive_bayes import BernoulliNB

    return _pipeline(_bins(10, "onehot-dense"), _one_hot(), BernoulliNB(), numbers, words).fit(X, y)


def one_hot_complement(X: Any, y: Any, numbers: list[str], words: list[str]) -> Any:
    """Fit ComplementNB on one-hot categories and one-hot bins."""
    from sklearn.naive_bayes import ComplementNB

    return _pipeline(_bins(10, "onehot-dense"), _one_hot(), ComplementNB(), numbers, words).fit(
        X, y
    )


class Both:
    """GaussianNB on numbers and CategoricalNB on categories, their log probabilities added up."""

    def __init__(self, X: Any, y: Any, numbers: list[str], words: list[str]) -> None:
        from sklearn.naive_bayes import CategoricalNB, GaussianNB

        self.parts = []
        if numbers:
            self.parts.append(_pipeline(_median(), None, GaussianNB(), numbers, []).fit(X, y))
        if words:
            sizes = [X[name].nunique() + 2 for name in words]
            model = CategoricalNB(min_categories=sizes)
            self.parts.append(_pipeline(None, _ordinal(), model, [], words).fit(X, y))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior = np.log(counts / len(y))

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of classes."""
        joint = (1 - len(self.parts)) * self.log_prior
        for part in self.parts:
            encoded = part[:-1].transform(X)
            joint = joint + part[-1].predict_joint_log_proba(encoded)
        powers = np.exp(joint - joint.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


def _pipeline(for_numbers: Any, for_words: Any, model: Any, numbers: Any, words: Any) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    steps = [("numbers", for_numbers, numbers), ("words", for_words, words)]
    used = [step for step in steps if step[2] and step[1] is not None]
    return make_pipeline(ColumnTransformer(used, sparse_threshold=0.0), model)


def _median() -> Any:
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median")


def _bins(n_bins: int, encode: str) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer

    return make_pipeline(_median(), KBinsDiscretizer(n_bins, encode=encode, strategy="quantile"))


def _one_hot() -> Any:
    from sklearn.preprocessing import OneHotEncoder

    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def _ordinal() -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(encoder, FunctionTransformer(_from_one))


def _from_one(codes: Any) -> Any:
    return codes + 1.0


LEARNERS: dict[str, Fit] = {
    "branchline": ours("kernel"),
    "branchline-auto": ours("auto"),
    "branchline-binned": ours("binned"),
    "branchline-gaussian": ours("gaussian"),
    "one-hot GaussianNB": one_hot_gaussian,
    "5 bins CategoricalNB": binned_categorical(5),
    "10 bins CategoricalNB": binned_categorical(10),
    "GaussianNB + CategoricalNB": Both,
    "one-hot BernoulliNB": one_hot_bernoulli,
    "one-hot ComplementNB": one_hot_complement,
}
PEERS = [name for name in LEARNERS if not name.startswith("branchline")]


# -- measuring ------------------------------------------------------------------------------------


def measure(problem: Problem, splits: Splits, fit: Fit) -> Score:
    """Fit on the training rows of every fold, predict the others."""
    frame = problem.X.to_pandas()
    numbers = [field.name for field in problem.X.schema if field.type.kind == "numeric"]
    words = [name for name in problem.X.names if name not in numbers]
    frame[words] = frame[words].astype(object).where(frame[words].notna(), "missing").astype(str)
    raw = problem.X.to_pandas()
    right, loss, seconds = 0, 0.0, 0.0
    for train, test in splits:
        rows = raw if fit.__qualname__.startswith("ours") else frame
        X, X_test, y = rows.iloc[train], rows.iloc[test], problem.y[train]
        begin = perf_counter()
        model = fit(X, y, numbers, words)
        probability = model.predict_proba(X_test)
        seconds += perf_counter() - begin
        right += int(np.sum(model.classes_[probability.argmax(axis=1)] == problem.y[test]))
        own = probability[np.arange(len(test)), np.searchsorted(model.classes_, problem.y[test])]
        loss -= float(np.log(np.maximum(own, 1e-15)).sum())
    n_rows = len(problem.y)
    return Score(right / n_rows, loss / n_rows, seconds)


def markdown(found: dict[str, dict[str, Score]]) -> str:
    """Return accuracies in percent, a row a set, with means, log losses and ratios of time."""
    sets = list(found)
    lines = ["| set | " + " | ".join(LEARNERS) + " |", "|---" * (len(LEARNERS) + 1) + "|"]
    for name in sets:
        cells = (f"{100 * found[name][learner].accuracy:.1f}" for learner in LEARNERS)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    mean = {one: np.mean([found[name][one].accuracy for name in sets]) for one in LEARNERS}
    loss = {one: np.mean([found[name][one].log_loss for name in sets]) for one in LEARNERS}
    time = {one: sum(found[name][one].seconds for name in sets) for one in LEARNERS}
    lines.append("| **mean** | " + " | ".join(f"{100 * mean[one]:.2f}" for one in LEARNERS) + " |")
    lines.append("| log loss | " + " | ".join(f"{loss[one]:.3f}" for one in LEARNERS) + " |")
    ratios = (f"{time[one] / time['branchline']:.2f}" for one in LEARNERS)
    lines.append("| time / ours | " + " | ".join(ratios) + " |")
    best = max(PEERS, key=lambda one: mean[one])
    each = np.mean([max(found[name][one].accuracy for one in PEERS) for name in sets])
    lines.append(
        f"\nBest encoding: {best}, {100 * mean[best]:.2f} %; "
        f"ours: {100 * mean['branchline']:.2f} %. "
        f"The best encoding of each set, chosen afterwards: {100 * each:.2f} %."
    )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.bayes_accuracy")
    parser.add_argument("--sets", default=",".join(NAMES), help="names, separated by commas")
    parser.add_argument("--seed", type=int, default=0, help="of the folds (default: 0)")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file of the results")
    options = parser.parse_args(arguments)
    found: dict[str, dict[str, Score]] = {}
    for name in options.sets.split(","):
        try:
            problem = load(name)
        except DataAbsentError as error:
            print(f"{name}: skipped: {error}", file=sys.stderr)
            continue
        splits = make_splits(problem.y, 1, options.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bins that fall together, categories not seen
            found[name] = {one: measure(problem, splits, fit) for one, fit in LEARNERS.items()}
        print(f"{name}: measured", file=sys.stderr, flush=True)
    if found:
        options.json.parent.mkdir(exist_ok=True)
        scores = {name: {k: s._asdict() for k, s in row.items()} for name, row in found.items()}
        options.json.write_text(json.dumps({"seed": options.seed, "sets": scores}, indent=1) + "\n")
        print(markdown(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
