"""A fixed set of models of every class: their files, and what they predict of rows they never saw.

1. Each estimator is fitted to 80 rows of a bundled table and saved.
2. All its outputs for 12 other rows are written beside it, floats with all their digits.

A file is written once and then kept: a change that gives other numbers must be meant.
``cd tests && python -m golden.fixed_models`` writes the files that are not there yet; with names,
it writes these anew.
"""

import json
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import branchline as bl
from branchline.features._selector import Selector
from branchline.table import Table
from common.estimators import ESTIMATORS

__all__ = ["FOLDER", "NAMES", "expected", "fitted", "new_rows", "outputs"]

FOLDER = Path(__file__).parent / "models_0_2"
_METHODS = ("predict", "predict_proba", "transform")
_N_TRAINING, _N_NEW = 80, 12

# The first of each class, and others whose fitted values are of another make.
NAMES = sorted(
    set({type(model): name for name, model in reversed(ESTIMATORS.items())}.values())
    | {
        "tree-costs", "tree-surrogate", "oblique_tree", "tree-learned", "regression-tree-multiway",
        "regression-tree-medians", "one_rule", "naive-bayes-gaussian", "neighbors-tuned",
        "ridge-rbf", "logistic-l1", "mlp-adam", "extra-trees-threshold", "forest-regressor-exact",
        "gradient-boosting-symmetric", "gradient-boosting-linear-leaves", "agglomerative-ward",
        "gradient-boosting-regressor-linear-leaves", "mixture-diagonal", "map-online",
        "encoder-range", "voting-stacked",
    }
)  # fmt: skip


def _table(model: Any) -> tuple[Table, Any]:
    name, target = ("auto-mpg", "mpg") if model._task == "regression" else ("heart", "disease")
    return bl.load_dataset(name).split_target(target)


def fitted(name: str) -> Any:
    """Return the model fitted now."""
    X, y = _table(ESTIMATORS[name])
    rows = np.arange(_N_TRAINING)
    return clone(ESTIMATORS[name]).fit(X.rows(rows), np.asarray(y)[rows])


def new_rows(name: str) -> Table:
    """Return the rows that it predicts."""
    return _table(ESTIMATORS[name])[0].rows(np.arange(_N_TRAINING, _N_TRAINING + _N_NEW))


def outputs(model: Any, X: Table) -> dict[str, list[Any]]:
    """Return what a model makes of rows: names of columns if it chooses some, else numbers."""
    if isinstance(model, Selector):
        return {"columns": [str(column) for column in model.get_feature_names_out()]}
    found = {name: getattr(model, name)(X) for name in _METHODS if hasattr(model, name)}
    return {name: np.asarray(each).tolist() for name, each in found.items()}


def expected() -> dict[str, dict[str, list[Any]]]:
    """Return what each model of the folder predicted when it was saved."""
    lines = (FOLDER / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return dict(json.loads(line) for line in lines)


def write(names: Collection[str]) -> None:
    """Write models anew, and those that are not there yet."""
    FOLDER.mkdir(exist_ok=True)
    known = expected() if (FOLDER / "predictions.jsonl").exists() else {}
    for name in NAMES:
        if name not in known or name in names:
            model = fitted(name)
            model.save(FOLDER / f"{name}.branchline")
            known[name] = outputs(model, new_rows(name))
    lines = [json.dumps([name, known[name]]) + "\n" for name in sorted(known)]
    (FOLDER / "predictions.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
