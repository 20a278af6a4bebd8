"""``python -m benchmarks.reproductions.tree_leaves``: linear, M5 and soft trees.

1. Friedman's function #1, 5,000 training rows: squared error on 20,000 others, CPU seconds, one
   thread.
2. auto-mpg and abalone, ten folds: root mean squared error; beside Weka's M5P on the same folds
   where its jar is found (variable WEKA_JAR, or where Debian puts it).
3. Soft against crisp trees: log loss in ten folds on the bundled tables with numbers.
"""

import os
import re
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks._data import data_folder
from branchline import Table, load_dataset, read_table
from branchline.table import dataset_info
from branchline.tree import M5, DecisionTreeClassifier, LinearTreeRegressor, SoftTreeClassifier

__all__ = ["main"]

FOLDS = 10
NUMBERS = {
    "auto-mpg": ("auto_mpg/autompg.arff", "class"),
    "abalone": ("abalone/abalone.arff", "Class_Rings"),
}
CLASSES = ("iris", "heart", "german-credit")


def friedman(n_rows: int, rng: Any) -> tuple[Any, Any]:
    """Return inputs and a target of Friedman's function with noise of deviation 1."""
    X = rng.uniform(size=(n_rows, 10))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, signal + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n_rows)


def measure_friedman() -> None:
    """Print squared errors and seconds."""
    rng = np.random.default_rng(0)
    (X, y), (new, truth) = friedman(5000, rng), friedman(20_000, rng)
    for name, make in (("linear tree", LinearTreeRegressor), ("M5", M5)):
        seconds = []
        for _ in range(5):
            start = time.process_time()
            model = make(n_jobs=1).fit(X, y)
            seconds.append(time.process_time() - start)
        error = np.mean((model.predict(new) - truth) ** 2)
        print(f"Friedman, {name}: squared error {error:.3f}, {min(seconds):.3f} s")


def measure_folds(name: str) -> None:
    """Print the errors of ten folds, ours and Weka's."""
    folder = data_folder()
    path, target = NUMBERS[name]
    if folder is None or not (folder / path).exists():
        print(f"{name}: not in the folder of real data")
        return
    X, y = read_table(folder / path).split_target(target)
    y = np.asarray(y, dtype=float)
    folds = list(KFold(FOLDS, shuffle=True, random_state=0).split(y))
    for label, make in (("linear tree", LinearTreeRegressor), ("M5", M5)):
        total = sum(_squares(make(), X, y, learn, test) for learn, test in folds)
        print(f"{name}, {label}: {np.sqrt(total / len(y)):.4f}")
    jar = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
    if jar.exists():
        total = sum(_weka_squares(jar, folder / path, learn, test) for learn, test in folds)
        print(f"{name}, Weka's M5P: {np.sqrt(total / len(y)):.4f}")


def _squares(model: Any, X: Table, y: Any, learn: Any, test: Any) -> float:
    predicted = model.fit(X.rows(learn), y[learn]).predict(X.rows(test))
    return float(((predicted - y[test]) ** 2).sum())


def _weka_squares(jar: Path, arff: Path, learn: Any, test: Any) -> float:
    lines = arff.read_text(encoding="latin1").splitlines()
    start = next(place for place, line in enumerate(lines) if line.lower().startswith("@data"))
    rows = [line for line in lines[start + 1 :] if line.strip() and not line.startswith("%")]
    with TemporaryDirectory() as folder:
        for part, which in (("learn", learn), ("test", test)):
            text = "\n".join([*lines[: start + 1], *(rows[row] for row in which)])
            Path(folder, f"{part}.arff").write_text(text + "\n", encoding="latin1")
        command = ["java", "-cp", str(jar), "weka.classifiers.trees.M5P", "-o", "-t"]
        command += [f"{folder}/learn.arff", "-T", f"{folder}/test.arff"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    error = float(re.findall(r"Root mean squared error\s+([\d.]+)", done.stdout)[-1])
    return error**2 * len(test)


def measure_soft(name: str) -> None:
    """Print the log loss of the soft tree and of its crisp tree."""
    X, y = load_dataset(name).split_target(str(dataset_info(name).target))
    labels = np.array([str(label) for label in y])
    losses = np.zeros(2)
    for learn, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(labels, labels):
        for place, model in enumerate(
            (SoftTreeClassifier(), DecisionTreeClassifier(missing="fractional"))
        ):
            shares = model.fit(X.rows(learn), labels[learn]).predict_proba(X.rows(test))
            right = shares[np.arange(len(test)), np.searchsorted(model.classes_, labels[test])]
            losses[place] -= np.log(np.maximum(right, 1e-15)).sum()
    soft, crisp = losses / len(labels)
    print(f"{name}: log loss of the soft tree {soft:.3f}, of the crisp tree {crisp:.3f}")


def main() -> None:
    """Measure everything."""
    measure_friedman()
    for name in NUMBERS:
        measure_folds(name)
    for name in CLASSES:
        measure_soft(name)


if __name__ == "__main__":
    main()
