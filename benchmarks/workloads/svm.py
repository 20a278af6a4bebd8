"""Support vector machines with an RBF kernel, against scikit-learn and its Intel extension.

All solve the same problem: equal rows, C, γ, and tolerance 1e-3; several classes one against one.
scikit-learn's (LIBSVM) has one thread; it and the Intel extension may cache 2 GB of kernel values.
Rows are float64 for all; "float32" is the Intel extension on rows of half the size.

1. Scores of fits are the logarithm of the dual objective Σ α − ½ αᵀ Q α, summed over the pairs of
   classes and worked out in double precision from each one's own coefficients, which must lie
   within their bounds. So a score that is 0.0001 lower is an objective that is 1e-4 worse.
2. Scores of predictions are accuracies on new rows.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data
from benchmarks._harness import Bench, Prepare, workload
from benchmarks._peers import import_peer, thread_setting
from benchmarks._svm_problems import PROBLEMS, SvmProblem, first_rows
from benchmarks.workloads.forest import INTELEX, fit_call
from benchmarks.workloads.tree import accuracy

CLOSE = 1e-4
CLOSE_ACCURACY = 0.002
TOLERANCE = 1e-3
CACHE_MB = 2000
SCIKIT_LEARN = "scikit-learn"
INTELEX_SINGLE = "scikit-learn-intelex-float32"
RIVALS = {SCIKIT_LEARN: (SCIKIT_LEARN,), INTELEX: (INTELEX, INTELEX_SINGLE)}
BLOCK = 2000
# Coefficients of single precision may leave their bounds by their last digits.
ROUNDING = 1e-4


# -- machines -------------------------------------------------------------------------------------


def machine(library: str, problem: SvmProblem, threads: int) -> Any:
    """Return an unfitted machine of a library."""
    if library == "branchline":
        from branchline.svm import SVC

        return SVC(problem.C, gamma=problem.gamma, tol=TOLERANCE, standardize=False, n_jobs=threads)
    settings = thread_setting(library, threads) if library == INTELEX else {}
    make = import_peer(library, "svm").SVC
    return make(C=problem.C, gamma=problem.gamma, tol=TOLERANCE, cache_size=CACHE_MB, **settings)


def fits(
    names: tuple[str, ...], problem: SvmProblem, data: Data, threads: int
) -> dict[str, Prepare]:
    """Return the fits of machines as competitors."""

    def prepare(name: str) -> Callable[[], Any]:
        library = INTELEX if name == INTELEX_SINGLE else name
        make = partial(machine, library, problem, threads)
        return fit_call(make, in_single(data) if name == INTELEX_SINGLE else data)

    return {name: partial(prepare, name) for name in names}


def in_single(data: Data) -> Data:
    """Return the data with inputs of single precision."""
    return data._replace(X=data.X.astype(np.float32), X_test=data.X_test.astype(np.float32))


# -- the dual objective ---------------------------------------------------------------------------


def log_dual_objective(model: Any, problem: SvmProblem, data: Data) -> float:
    """Return ln Σ_pairs (Σ α − ½ αᵀ Q α); the coefficients are y α."""
    group_of_row, n_copies = _copies(data)
    total = 0.0
    for rows, beta in _pairs(model):
        groups = group_of_row[rows]
        _check_bounds(beta, groups, problem.C * n_copies)
        total += _dual_objective(data.X[rows], beta.astype(np.float64), problem.gamma)
    return float(np.log(total))


def _copies(data: Data) -> tuple[Any, Any]:
    """Return a number for each row, one for all copies, and how many copies there are."""
    labels = np.unique(data.y, return_inverse=True)[1]
    labeled = np.ascontiguousarray(np.column_stack([data.X, labels]))
    contents = labeled.view(np.dtype((np.void, labeled.strides[0]))).ravel()
    _, group_of_row, n_copies = np.unique(contents, return_inverse=True, return_counts=True)
    return group_of_row, n_copies


def _check_bounds(beta: Any, groups: Any, most: Any) -> None:
    """Refuse coefficients that no machine may have: above C, or with a sum that is not 0."""
    of_group = np.bincount(groups, np.abs(beta), minlength=len(most))
    if (of_group > most * (1 + ROUNDING)).any():
        raise ValueError(f"a coefficient is {(of_group / most).max()} times C")
    if abs(beta.sum()) > ROUNDING * np.abs(beta).sum():
        raise ValueError(f"the coefficients have the sum {beta.sum()}, not 0")


def _pairs(model: Any) -> Iterator[tuple[Any, Any]]:
    """Yield, for each pair of classes, the rows of its support vectors and their coefficients."""
    coefficients, support = np.asarray(model.dual_coef_), np.asarray(model.support_)
    ends = np.concatenate([[0], np.cumsum(model.n_support_)])
    n_classes = len(model.classes_)
    for machine_number, (a, b) in enumerate(combinations(range(n_classes), 2)):
        # Ours has a row for each pair. LIBSVM packs those of a class with all others: row b − 1 of
        # its support vectors belongs to a later class b, row a to an earlier class a.
        is_ours = type(model).__module__.startswith("branchline")
        first, second = (machine_number, machine_number) if is_ours else (b - 1, a)
        of_a, of_b = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
        rows = np.concatenate([support[of_a], support[of_b]])
        yield rows, np.concatenate([coefficients[first, of_a], coefficients[second, of_b]])


def _dual_objective(X: Any, beta: Any, gamma: float) -> float:
    """Return Σ α − ½ βᵀ K β, in blocks."""
    from sklearn.metrics.pairwise import rbf_kernel

    used = np.flatnonzero(beta)
    X, beta = X[used], beta[used]
    quadratic = sum(
        beta[first : first + BLOCK] @ rbf_kernel(X[first : first + BLOCK], X, gamma=gamma) @ beta
        for first in range(0, len(beta), BLOCK)
    )
    return float(np.abs(beta).sum() - quadratic / 2)


# -- workloads ------------------------------------------------------------------------------------


def load(bench: Bench, problem: SvmProblem) -> Data:
    """Return the rows of a problem, fewer in a quick run."""
    data = problem.load()
    if data is None:
        bench.skip(ABSENT)
    return first_rows(data, bench.rows(len(data.y)))


def compare_fits(bench: Bench, problem: SvmProblem, peers: tuple[str, ...]) -> None:
    """Fit the machines of all, and score how well each solves its problem."""
    data = load(bench, problem)
    bench.compare(
        fits(("branchline", *peers), problem, data, bench.threads),
        score=lambda model: log_dual_objective(model, problem, data),
        closeness=CLOSE,
        memory=True,
        settings=described(problem),
    )


def compare_predictions(bench: Bench, problem: SvmProblem, peers: tuple[str, ...]) -> None:
    """Predict the test rows with the machines of all, fitted before."""
    data = load(bench, problem)

    def prepare(name: str, fit: Prepare) -> Callable[[], Any]:
        model = fit()()
        rows = in_single(data).X_test if name == INTELEX_SINGLE else data.X_test
        return lambda: model.predict(rows)

    made = fits(("branchline", *peers), problem, data, bench.threads)
    bench.compare(
        {name: partial(prepare, name, fit) for name, fit in made.items()},
        score=lambda predicted: accuracy(predicted, data.y_test),
        closeness=CLOSE_ACCURACY,
        settings=described(problem),
    )


def described(problem: SvmProblem) -> dict[str, Any]:
    """Return what a record says of the settings."""
    return {"C": problem.C, "gamma": problem.gamma, "tol": TOLERANCE, "cache_mb": CACHE_MB}


def _register_fit(name: str, problem: SvmProblem, peer: str, bar: float) -> None:
    def run(bench: Bench) -> None:
        compare_fits(bench, problem, RIVALS[peer])

    run.__doc__ = f"Fit an RBF machine on {name}: {problem.words}; C = {problem.C:g}."
    suffix = "-intelex" if peer == INTELEX else ""
    why = "rows of the kernel matrix in vectors, in single precision, kept while there is room"
    short = name == "a9a" or (name == "letter" and not suffix)
    workload(f"svm-fit-{name}{suffix}", bar=bar, against=peer, why=why, short=short)(run)


for _name, _problem in PROBLEMS.items():
    _register_fit(_name, _problem, SCIKIT_LEARN, _problem.bar)
    _register_fit(_name, _problem, INTELEX, _problem.bar_intel)


@workload(
    "svm-predict-a9a",
    bar=15.0,
    against=SCIKIT_LEARN,
    why="blocks of kernel values instead of single ones",
)
def predict(bench: Bench) -> None:
    """Predict 16 281 rows of a9a with an RBF machine."""
    compare_predictions(bench, PROBLEMS["a9a"], RIVALS[SCIKIT_LEARN])


@workload(
    "svm-predict-a9a-intelex",
    bar=1.0,
    against=INTELEX,
    why="predicting must not be slower than any peer",
)
def predict_against_intel(bench: Bench) -> None:
    """Predict 16 281 rows of a9a with an RBF machine, against the Intel extension."""
    compare_predictions(bench, PROBLEMS["a9a"], RIVALS[INTELEX])


@workload("svm-fit-a9a-threads")
def fit_with_threads(bench: Bench) -> None:
    """Fit an RBF machine on a9a, with all threads and with one."""
    problem = PROBLEMS["a9a"]
    data = load(bench, problem)
    ours = fits(("branchline",), problem, data, bench.threads)
    alone = fits(("branchline",), problem, data, 1)["branchline"]
    bench.compare({**ours, "branchline-1-thread": alone}, settings=described(problem))
