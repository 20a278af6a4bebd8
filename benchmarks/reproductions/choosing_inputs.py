"""``python -m benchmarks.reproductions.choosing_inputs``: what selectors find.

1. *XOR*: two columns that tell something only together, beside 98 of noise, 20 tables. How often
   are both among the first two (of a ranking) or chosen?
2. *Madelon*: how many of the 20 relevant columns are among the first 20, which columns the test
   against shuffled copies accepts, and the accuracy of nearest neighbors on chosen columns, nested.
3. *Leukemia*: recursive elimination by a linear support vector machine; five estimates of the error
   against the number of genes.
4. *Noise*, 250 × 1 000, 100 tables: bagged trees on the 20 columns of largest t, chosen on all rows
   (apparent) and inside every training set (honest).
5. *Copies*: a column ten times.

``--write`` puts the figures into ``docs/features.md``; ``--draw FOLDER`` keeps the curves of 3.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks._data import data_folder
from benchmarks._peers import limit_processes
from benchmarks.reproductions._folds import DataAbsentError
from branchline.assess import cross_validate
from branchline.catalog import make
from branchline.features import (
    ModelSelector,
    RankSelector,
    RecursiveElimination,
    SequentialSelector,
    ShadowSelector,
    rank_columns,
)
from branchline.forest import RandomForestClassifier
from branchline.reproduce import table_selection_curve
from branchline.reproduce._golub_patients import golub_patients
from branchline.reproduce._noise_tables import best_t, draw_noise, fold_of_rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "features.md"
FILTERS = ("mutual_information", "gain", "f", "chi_square", "relief", "multisurf")
ITERATED = ("mutual_information", "relief", "multisurf", "iterated_relief", "iterated_multisurf")

Cells = Any


# -- XOR -------------------------------------------------------------------------------------------


def xor_table(seed: int, n_rows: int = 500, n_noise: int = 98) -> tuple[Cells, Cells]:
    """Return two columns whose signs together give the class, and columns of noise."""
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n_rows, 2 + n_noise))
    return X, np.where((X[:, 0] > 0) ^ (X[:, 1] > 0), "yes", "no")


def _first_two(by: str) -> Callable[[Cells, Cells], set[str]]:
    return lambda X, y: set(rank_columns(X, y, by=by, n_jobs=1).top(2))


def _chosen(selector: Any) -> Callable[[Cells, Cells], set[str]]:
    return lambda X, y: set(selector.fit(X, y).get_feature_names_out())


def xor_finders() -> dict[str, Callable[[Cells, Cells], set[str]]]:
    """Return what looks for the two columns."""
    found = {by: _first_two(by) for by in FILTERS}
    forest = RandomForestClassifier(n_estimators=300, n_jobs=1)
    backward = SequentialSelector(
        estimator="neighbors", direction="backward", n_columns=2, n_folds=3
    )
    found["forest"] = _chosen(ModelSelector(estimator=forest, n_columns=2))
    found["shuffled copies"] = _chosen(ShadowSelector(n_jobs=1))
    narrow = make_pipeline(RankSelector(by="relief", n_columns=10), backward)
    found["relief, then backward"] = _chosen(narrow)
    return found


def xor_lines(n_tables: int) -> list[str]:
    """Return how often each finds both columns."""
    lines = [
        f"| XOR + 98 columns of noise, 500 rows, {n_tables} tables | both found |",
        "|---|--:|",
    ]
    for name, find in xor_finders().items():
        hits = sum({"x0", "x1"} <= find(*xor_table(seed)) for seed in range(n_tables))
        lines.append(f"| {name} | {hits} of {n_tables} |")
    return lines


# -- madelon ---------------------------------------------------------------------------------------


def madelon() -> tuple[Cells, Cells]:
    """Return the 2 600 rows of 500 columns and their classes."""
    from scipy.io import loadmat

    folder = data_folder()
    if folder is None or not (folder / "madelon" / "madelon.mat").exists():
        raise DataAbsentError("madelon is absent: set BRANCHLINE_DATA to the folder of data sets")
    found = loadmat(folder / "madelon" / "madelon.mat")
    return found["X"].astype(np.float64), found["Y"].ravel().astype(str)


def relevant_columns(X: Cells) -> set[str]:
    """Return the columns that correlate above 0.5 with another: the relevant ones, by design."""
    size = np.abs(np.corrcoef(X.T))
    np.fill_diagonal(size, 0.0)
    return {f"x{place}" for place in np.flatnonzero(size.max(axis=0) > 0.5)}


def accepted(X: Cells, y: Cells) -> tuple[int, int]:
    """Return how many relevant and how many other columns beat shuffled copies."""
    chosen = set(ShadowSelector(n_jobs=1).fit(X, y).get_feature_names_out())
    relevant = relevant_columns(X)
    return len(chosen & relevant), len(chosen - relevant)


def madelon_lines() -> list[str]:
    """Return what rankings and the test against shuffled copies find, and the nested accuracy."""
    X, y = madelon()
    relevant = relevant_columns(X)
    lines = [f"| madelon, {len(relevant)} relevant columns of 500 | |", "|---|--:|"]
    for by in ITERATED:
        began = time.process_time()
        hits = len(relevant & set(rank_columns(X, y, by=by, n_jobs=1).top(20)))
        spent = time.process_time() - began
        lines.append(f"| {by}, among the first 20 | {hits} ({spent:.1f} s) |")
    began = time.process_time()
    right, wrong = accepted(X, y)
    spent = time.process_time() - began
    lines.append(f"| shuffled copies: accepted, and false | {right}, {wrong} ({spent:.1f} s) |")
    selector = RankSelector(by="relief", estimator="neighbors")
    n_kept = selector.fit(X, y).n_selected_
    learner = make("neighbors", task="classification")
    found = cross_validate(make_pipeline(selector, learner), X, y, n_folds=5)
    plain = cross_validate(learner, X, y, n_folds=5)
    lines.append(f"| nearest neighbors on all columns, accuracy | {_interval(plain)} |")
    lines.append(
        f"| on columns chosen by relief ({n_kept} on all rows), nested | {_interval(found)} |"
    )
    return lines


def _interval(found: Any) -> str:
    return str(found).split(" (")[0].removeprefix("accuracy ")


# -- leukemia --------------------------------------------------------------------------------------


def golub_curve(X: Cells, y: Cells, sizes: list[int], n_samples: int = 10) -> Any:
    """Return five estimates against the number of genes kept by elimination."""
    machine = make("linear_svm", task="classification").set_params(C=1.0)
    eliminate = RecursiveElimination(estimator=machine, step=0.3)
    return table_selection_curve(
        X, y, sizes=sizes, model=machine, selector=eliminate, n_samples=n_samples
    )


def golub_lines(draw: Path | None) -> list[str]:
    """Return the five estimates; the second one has seen the rows it is tested on."""
    X, y = golub_patients(data_folder())
    curve = golub_curve(X, y, [1, 2, 5, 10, 20, 50, 100, 500, 7129])
    if draw is not None:
        draw.mkdir(parents=True, exist_ok=True)
        curve.draw().save(draw / "golub_elimination.svg")
    lines = [
        "| genes kept | " + " | ".join(curve.errors) + " |",
        "|--:|" + "--:|" * len(curve.errors),
    ]
    for place, size in enumerate(curve.n_kept):
        cells = " | ".join(f"{100 * values[place]:.0f} %" for values in curve.errors.values())
        lines.append(f"| {size:,} | {cells} |")
    return lines


# -- noise -----------------------------------------------------------------------------------------


def noise_errors(seed: int, n_rows: int = 250, n_inputs: int = 1000) -> tuple[float, float]:
    """Return the error of bagged trees with columns chosen on all rows, and inside each fold."""
    rng = np.random.default_rng(seed)
    X, y = draw_noise(n_rows, n_inputs, rng)
    fold = fold_of_rows(y, 10, rng)
    bagged = RandomForestClassifier(
        n_estimators=25, max_features=None, oob_score=False, random_state=seed, n_jobs=1
    )
    once = best_t(X, y, 20)
    wrong = np.zeros(2)
    for part in range(10):
        train, test = fold != part, fold == part
        selector = RankSelector(by="t", n_columns=20).fit(X[train], y[train].astype(str))
        for place, chosen in enumerate((once, selector.get_support(indices=True))):
            model = bagged.fit(X[train][:, chosen], y[train])
            wrong[place] += (model.predict(X[test][:, chosen]) != y[test]).sum()
    apparent, honest = (wrong / n_rows).tolist()
    return apparent, honest


def noise_lines(n_tables: int) -> list[str]:
    """Return the mean and the spread of both errors."""
    found = 100 * np.array([noise_errors(seed) for seed in range(n_tables)])
    lines = [
        f"| noise, 250 × 1,000, {n_tables} tables | mean | least to most |", "|---|--:|--:|"
    ]  # fmt: skip
    for name, errors in zip(
        ("chosen on all rows", "chosen inside every fold"), found.T, strict=True
    ):
        spread = f"{errors.min():.0f} to {errors.max():.0f} %"
        lines.append(f"| {name} | {errors.mean():.1f} % | {spread} |")
    return lines


# -- copies ----------------------------------------------------------------------------------------


def copied_table(seed: int = 0) -> tuple[dict[str, Cells], Cells]:
    """Return a table with a column ten times, in other units, a weaker one, and noise."""
    draws = np.random.default_rng(seed)
    told = draws.normal(size=400)
    weak = draws.normal(size=400)
    columns = {f"copy{k}": told * (k + 1) - k for k in range(10)}
    columns |= {"weak": weak, "noise": draws.normal(size=400)}
    return columns, np.where(told + 0.6 * weak + 0.5 * draws.normal(size=400) > 0, "yes", "no")


def copies_lines() -> list[str]:
    """Return the scores of the copies, and how they are named."""
    X, y = copied_table()
    lines = [
        "| a column ten times: ranking | lowest and highest score of a copy | named together |"
    ]
    lines.append("|---|--:|--:|")
    for by in ("mutual_information", "correlation", "relief"):
        found = rank_columns(X, y, by=by, n_jobs=1)
        scores = [
            score
            for name, score in zip(found.names, found.scores, strict=True)
            if name.startswith("copy")
        ]
        named = max((len(group) for group in found.groups), default=0)
        lines.append(f"| {by} | {min(scores):.4f}, {max(scores):.4f} | {named} |")
    return lines


# -- the command -----------------------------------------------------------------------------------


def put_into_page(part: str, lines: list[str]) -> None:
    """Put lines between the two comments of docs/features.md that bear the part's name."""
    begin, end = (f"<!-- choosing_inputs {part}: {word} -->" for word in ("begin", "end"))
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(before + "\n".join([begin, *lines, end]) + after, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.choosing_inputs")
    parser.add_argument("--only", help="xor, madelon, golub, noise or copies")
    parser.add_argument("--tables", type=int, default=100, help="tables of noise; XOR has a fifth")
    parser.add_argument("--draw", type=Path, help="a folder for the curves")
    parser.add_argument("--write", action="store_true", help="write into docs/features.md")
    options = parser.parse_args(arguments)
    parts: dict[str, Callable[[], list[str]]] = {
        "xor": lambda: xor_lines(max(2, options.tables // 5)),
        "copies": copies_lines,
        "noise": lambda: noise_lines(options.tables),
        "golub": lambda: golub_lines(options.draw),
        "madelon": madelon_lines,
    }
    for part, measure in parts.items():
        if options.only not in {None, part}:
            continue
        lines = measure()
        print("\n".join([*lines, ""]), flush=True)
        if options.write:
            put_into_page(part, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
