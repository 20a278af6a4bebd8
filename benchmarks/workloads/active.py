"""Active learning against scikit-activeml: 50 labels of digits, chosen one by one by a forest."""

from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

N_START, N_LABELS, N_TREES = 20, 70, 100


@workload("active-digits", bar=5.0, against="scikit-activeml", why="the forest that asks is ours")
def label_digits(bench: Bench) -> None:
    """Choose 50 rows of half of the digits by margin; the score is the accuracy on the others."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    pool, test = order[: len(y) // 2], order[len(y) // 2 :]
    given = (X[pool].astype(float), y[pool])
    bench.compare(
        {
            "branchline": lambda: _ours(*given),
            "scikit-activeml": lambda: _activeml(*given),
        },
        score=lambda model: float(np.mean(np.asarray(model.predict(X[test])) == y[test])),
        closeness=0.02,
        settings={"trees": N_TREES, "labels": f"{N_START} to {N_LABELS}"},
    )


def _ours(X: Any, y: Any) -> Any:
    from branchline.active import ActiveLearner
    from branchline.forest import RandomForestClassifier

    def label() -> Any:
        forest = RandomForestClassifier(n_estimators=N_TREES, oob_score=False, n_jobs=1)
        learner = ActiveLearner(X, estimator=forest, batch_size=1, check_share=0.0)
        learner.tell(range(N_START), y[:N_START])
        while learner.n_labeled < N_LABELS:
            rows = learner.ask()
            learner.tell(rows, y[rows])
        return learner.model_

    return label


def _activeml(X: Any, y: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    import_peer("scikit-activeml")
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling

    def label() -> Any:
        forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=1)
        model = SklearnClassifier(forest, classes=range(10))
        strategy = UncertaintySampling(method="margin_sampling", random_state=0)
        labels = np.full(len(y), np.nan)
        labels[:N_START] = y[:N_START]
        for _ in range(N_LABELS - N_START):
            row = strategy.query(X, labels, model)
            labels[row] = y[row]
        return model.fit(X, labels)

    return label
