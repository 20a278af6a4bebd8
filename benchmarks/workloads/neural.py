"""Networks: training and predicting, against scikit-learn, whose descent ours borrows.

Settings are equal (layers, decay, solver, steps), so a ratio shows what encoding, one thread of
linear algebra and a forward pass of our own cost or gain. Scores are accuracies on new rows, or R².
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, two_classes
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

STEPS = 200
EPOCHS = 10
FLOAT = np.float64  # given float32, scikit-learn computes in it; ours always in float64
# Trainings from other starting points differ by about this much.
CLOSE = 0.01


@workload(
    "mlp-fit-5k-28",
    bar=1.0,
    against="scikit-learn",
    why="both are NumPy's products of matrices",
    short=True,
)
def fit_lbfgs(bench: Bench) -> None:
    """Train 10 tanh units on 5 000 × 28 float64 by 200 steps of lbfgs."""
    _compare_fits(bench, 5000, {"solver": "lbfgs", "max_iter": STEPS, "alpha": 5.0})


@workload("mlp-fit-100k-28")
def fit_adam(bench: Bench) -> None:
    """Train 10 tanh units on 100 000 × 28 float64 by 10 epochs of adam, 200 rows a batch."""
    _compare_fits(bench, 100_000, {"solver": "adam", "max_iter": EPOCHS, "alpha": 0.0})


@workload("mlp-predict-100k-28")
def predict_many(bench: Bench) -> None:
    """Predict the probabilities of 100 000 × 28 float64 with 100 tanh units."""
    data = two_classes(bench.rows(5000), n_test=bench.rows(100_000), dtype=FLOAT)
    options = {"solver": "lbfgs", "max_iter": 20, "alpha": 5.0, "layers": (100,)}

    def predict_with(model: Any) -> Any:
        model.fit(data.X, data.y)
        return lambda: model.predict_proba(data.X_test)

    bench.compare(
        {
            "branchline": lambda: predict_with(ours(**options)),
            "scikit-learn": lambda: predict_with(peer(**options)),
        },
        settings=options,
    )


@workload("mlp-adult")
def fit_adult(bench: Bench) -> None:
    """Train the usual network on the adult census data, with categories and missing values.

    The pipeline of scikit-learn scales numbers and makes indicators of categories.
    """
    data = adult()
    if data is None:
        bench.skip(ABSENT)
    options = {"solver": "adam", "max_iter": EPOCHS, "alpha": 0.0}
    bench.compare(
        {
            "branchline": lambda: lambda: ours(**options).fit(data.X, data.y),
            "scikit-learn-one-hot": lambda: lambda: one_hot(data, **options).fit(data.X, data.y),
        },
        score=lambda model: float(np.mean(model.predict(data.X_test) == data.y_test)),
        closeness=CLOSE,
        n_repeats=2,
        settings=options,
    )


def _compare_fits(bench: Bench, n_rows: int, options: dict[str, Any]) -> None:
    data = two_classes(bench.rows(n_rows), n_test=20_000, dtype=FLOAT)
    bench.compare(
        {
            "branchline": lambda: lambda: ours(**options).fit(data.X, data.y),
            "scikit-learn": lambda: lambda: peer(**options).fit(data.X, data.y),
        },
        score=lambda model: float(np.mean(model.predict(data.X_test) == data.y_test)),
        closeness=CLOSE,
        n_repeats=3,
        settings=options,
    )


def ours(layers: tuple[int, ...] = (10,), **options: Any) -> Any:
    """Return our network; that it is not trained to the end is what the workload asks for."""
    import warnings

    from branchline.errors import BranchlineWarning
    from branchline.neural import MLPClassifier

    warnings.simplefilter("ignore", BranchlineWarning)
    return MLPClassifier(hidden_layer_sizes=layers, learning_rate=0.001, **options)


def peer(layers: tuple[int, ...] = (10,), **options: Any) -> Any:
    """Return scikit-learn's network on scaled numbers, without which it learns little."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    warnings.simplefilter("ignore", ConvergenceWarning)
    networks = import_peer("scikit-learn", "neural_network")
    net = networks.MLPClassifier(
        hidden_layer_sizes=layers, activation="tanh", random_state=0, max_fun=10**6, **options
    )
    return make_pipeline(StandardScaler(), net)


def one_hot(data: Data, **options: Any) -> Any:
    """Return scikit-learn's network after scaling numbers and one-hot encoding the rest."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    words = [name for name, dtype in data.X.schema.items() if not dtype.is_numeric()]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((encoder, words), remainder=StandardScaler())
    return make_pipeline(columns, peer(**options)[-1])
