"""``python -m benchmarks.reproductions.optimal_trees``: optimal trees and lists beside pystreed.

1. Each set becomes 0-1 columns: categories one by one (one of two), numbers by nine quantiles.
2. Both libraries search the tree of fewest training errors of depth 2, 3 and 4 on the same columns.
   Their errors must be equal. Seconds are those of the processor, one thread, the best of a few
   runs in turns; the ratio is ours over theirs.
3. Rule lists of up to four rules have no peer that can be installed: ours are timed, and whether
   they were proved optimal is told.

pystreed 1.4 (MIT) is a peer of this file only. Sets that are not bundled come from the folder that
``benchmarks/_data.py`` names.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._data import data_folder
from branchline import Table, load_dataset, read_table
from branchline.tree import OptimalTreeClassifier, RuleListClassifier

_FILES = {
    "tic-tac-toe": ("tic_tac_toe/tic-tac-toe.arff", "Class"),
    "car": ("car/car.arff", "class"),
    "monks-1": ("monks/monks-1_learn.tab", "y"),
    "monks-2": ("monks/monks-2_learn.tab", "y"),
    "monks-3": ("monks/monks-3_learn.tab", "y"),
    "mushroom": ("mushroom/mushroom.arff", "class"),
}
_BUNDLED = {"german-credit": "class", "votes84": "party"}
_TREES = ("german-credit", "tic-tac-toe", "car", "monks-1", "monks-2", "monks-3")
_N_QUANTILES = 10


def load(name: str) -> tuple[Table, Any]:
    """Return the inputs and the classes of a set."""
    if name in _BUNDLED:
        return load_dataset(name).split_target(_BUNDLED[name])
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(f"{name} is not bundled, and there is no data folder")
    path, target = _FILES[name]
    X, y = read_table(folder / path).split_target(target)
    return (X.drop(["instance"]) if "instance" in X.names else X), y


def binary(X: Table) -> Any:
    """Return the 0-1 columns of a table."""
    columns = []
    frame = X.to_pandas()
    for name in frame:
        values = frame[name]
        levels = sorted(values.dropna().unique(), key=str)
        if values.dtype.kind in "fi" and len(levels) > _N_QUANTILES:
            cuts = np.unique(np.quantile(values, np.arange(1, _N_QUANTILES) / _N_QUANTILES))
            columns += [(values <= cut).to_numpy() for cut in cuts]
        else:
            levels = levels[:1] if len(levels) == 2 else levels
            columns += [(values == level).to_numpy() for level in levels]
    return np.array(columns).T.astype(np.int64)


def seconds_of(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the processor that a call takes, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def compare_trees(name: str, depth: int, n_repeats: int) -> str:
    """Return a line: both errors, both times, and their ratio."""
    from pystreed import STreeDClassifier

    X, names = load(name)
    bits, y = binary(X), np.unique(np.asarray(names).astype(str), return_inverse=True)[1]

    def ours() -> Any:
        return OptimalTreeClassifier(max_depth=depth, time_budget=600.0, n_jobs=1).fit(bits, y)

    def theirs() -> Any:
        return STreeDClassifier("accuracy", max_depth=depth).fit(bits, y)

    runs = [(seconds_of(ours), seconds_of(theirs)) for _ in range(n_repeats)]
    mine, other = (min(run[k][0] for run in runs) for k in (0, 1))
    model, peer = runs[0][0][1], runs[0][1][1]
    errors = [int((one.predict(bits) != y).sum()) for one in (model, peer)]
    verdict = "equal" if errors[0] == errors[1] and model.proved_ else "NOT EQUAL"
    return (
        f"{name:<14} {len(y):>5} x {bits.shape[1]:<3} depth {depth}: errors {errors[0]:>4} and "
        f"{errors[1]:>4}, {verdict}; seconds {mine:.4f} and {other:.4f}, ratio {mine / other:.2f}"
    )


def time_list(name: str) -> str:
    """Return a line: how long the proof of a list of up to four rules takes."""
    X, y = load(name)
    table = binary(X) if name == "german-credit" else X
    seconds, model = seconds_of(lambda: RuleListClassifier(time_budget=600.0).fit(table, y))
    proved = "proved" if model.proved_ else "NOT PROVED"
    return (
        f"{name:<14} {len(model.rules_)} rules, value {model.value_:.4f}, {proved}, {seconds:.2f} s"
    )


def main() -> None:
    """Print all lines."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs of each search")
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3, 4])
    options = parser.parse_args()
    for name in _TREES:
        for depth in options.depths:
            print(compare_trees(name, depth, options.repeats), flush=True)
    for name in ("german-credit", "votes84", "tic-tac-toe", "car", "monks-1", "mushroom"):
        print(time_list(name), flush=True)


if __name__ == "__main__":
    main()
