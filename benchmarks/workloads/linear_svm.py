"""Linear support vector machines against LIBLINEAR, by scikit-learn and in its own clothes.

Data are those of LIBLINEAR's papers: a9a, and short messages hashed into 2^18 columns. Scores are
how far the objective ½‖w‖² + C Σ loss is above the least possible, as a share of it and below 0:
everybody has to come within 1e-4. LIBLINEAR has one thread, and draws its constant towards 0 (a
slightly different problem, whose solution is scored by ours). "branchline" is the whole fit:
checks, canonical rows, encoding, the certificate and probabilities; "branchline-solver" is given
the matrix, as LIBLINEAR is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._data import ABSENT, data_folder
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

CLOSE = 1e-4
WHY = (
    "the whole fit, with the encoder, as fast as LIBLINEAR's (the solver alone is; the order of "
    "rows, the scales, and the scores of rows left out for probabilities come on top)"
)
_LIBLINEAR = {"squared_hinge": "-s 1 -e 0.01", "hinge": "-s 3 -e 0.01"}


@workload(
    "linear-svc-fit-a9a",
    bar=1.0,
    against="scikit-learn",
    why=WHY,
    short=True,
)
def fit_a9a(bench: Bench) -> None:
    """Fit a linear SVM with squared hinge, C = 1, on a9a: 32 561 × 123, sparse."""
    _compare(bench, a9a(), "squared_hinge")


@workload(
    "linear-svc-fit-a9a-hinge",
    bar=1.0,
    against="scikit-learn",
    why=WHY,
)
def fit_a9a_hinge(bench: Bench) -> None:
    """Fit a linear SVM with hinge, C = 1, on a9a."""
    _compare(bench, a9a(), "hinge")


@workload(
    "linear-svc-fit-sms-hashed",
    bar=1.0,
    against="scikit-learn",
    why=WHY,
)
def fit_messages(bench: Bench) -> None:
    """Fit a linear SVM with squared hinge, C = 1, on 5 574 messages hashed into 2^18 columns."""
    _compare(bench, messages(), "squared_hinge")


@workload(
    "linear-svc-fit-sms-hashed-hinge",
    bar=1.0,
    against="scikit-learn",
    why=WHY,
)
def fit_messages_hinge(bench: Bench) -> None:
    """Fit a linear SVM with hinge, C = 1, on the hashed messages."""
    _compare(bench, messages(), "hinge")


def a9a() -> tuple[Any, Any] | None:
    """Return a9a as a sparse matrix of 0 and 1, and its labels −1 and 1."""
    folder = data_folder()
    if folder is None or not (folder / "a9a_libsvm" / "a9a.gz").exists():
        return None
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(folder / "a9a_libsvm" / "a9a.gz"), n_features=123)
    return _narrow(X), y


def messages() -> tuple[Any, Any] | None:
    """Return counts of hashed words of each message, and whether it is unwanted (1) or not (−1)."""
    folder = data_folder()
    if folder is None or not (folder / "sms_spam" / "sms_spam.csv").exists():
        return None
    import polars
    from sklearn.feature_extraction.text import HashingVectorizer

    table = polars.read_csv(folder / "sms_spam" / "sms_spam.csv")
    words = HashingVectorizer(n_features=2**18).fit_transform(table["text"].to_list())
    return _narrow(words), np.where(table["type"].to_numpy() == "spam", 1.0, -1.0)


def _narrow(X: Any) -> Any:
    """Return a matrix with indices of 32 bits, the only ones that scikit-learn's SVMs take."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _compare(bench: Bench, data: tuple[Any, Any] | None, loss: str) -> None:
    if data is None:
        bench.skip(ABSENT)
    X, y = data
    least = ours(loss, bench.threads, tol=1e-9).fit(X, y).objective_
    bench.compare(
        {
            "branchline": lambda: lambda: _sums(ours(loss, bench.threads).fit(X, y)),
            "branchline-solver": lambda: solver(X, y, loss, bench.threads),
            "scikit-learn": lambda: theirs(X, y, loss),
            "liblinear": lambda: liblinear(X, y, loss),
        },
        score=lambda found: 1.0 - objective(X, y, loss, found) / least,
        closeness=CLOSE,
        settings={"C": 1.0, "loss": loss},
    )


def ours(loss: str, threads: int, tol: float = 1e-4) -> Any:
    from branchline.encoding import TableEncoder
    from branchline.svm import LinearSVC

    raw = TableEncoder(scale="none")
    return LinearSVC(loss=loss, encoder=raw, tol=tol, max_iter=10_000, n_jobs=threads)


def _sums(model: Any) -> Any:
    return model.objective_


def solver(X: Any, y: Any, loss: str, threads: int) -> Callable[[], Any]:
    from branchline.svm._linear_margin import Ends, find_margins

    up = (y > 0)[None]
    ends = Ends(np.where(up, 1.0, -np.inf), np.where(up, np.inf, -1.0), np.ones((1, len(y))))
    return lambda: find_margins(ours(loss, threads), X, ends).report.objective


def theirs(X: Any, y: Any, loss: str) -> Callable[[], Any]:
    svm = import_peer("scikit-learn", "svm")

    def fit() -> Any:
        model = svm.LinearSVC(loss=loss, max_iter=3000, random_state=0).fit(X, y)
        return model.coef_[0], model.intercept_[0]

    return fit


def liblinear(X: Any, y: Any, loss: str) -> Callable[[], Any]:
    library = import_peer("liblinear")
    problem = library.problem(y, X, bias=1)

    def fit() -> Any:
        model = library.train(problem, library.parameter(f"{_LIBLINEAR[loss]} -c 1 -B 1 -q"))
        # Asking for one weight after the other would take longer than the fit.
        sums = np.ctypeslib.as_array(model.w, shape=(model.nr_feature + 1,)).copy()
        return sums[:-1], sums[-1]

    return fit


def objective(X: Any, y: Any, loss: str, found: Any) -> float:
    """Return ½‖w‖² + Σ loss; ours says it itself, certified."""
    if isinstance(found, float):
        return found
    weights, bias = found
    slack = np.maximum(0, 1 - y * (X @ weights + bias))
    return float(0.5 * weights @ weights + (slack**2 if loss == "squared_hinge" else slack).sum())
