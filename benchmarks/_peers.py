"""The peers: what each is called, how it is imported and how it is told its number of threads.

A peer is imported only when a workload asks for it, so that one that is not installed costs one
line of the report ("not installed") and nothing else.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

__all__ = [
    "HELPERS",
    "PEERS",
    "Peer",
    "import_peer",
    "limit_libraries",
    "limit_processes",
    "thread_setting",
    "version_of",
    "version_of_competitor",
    "versions",
]


@dataclass(frozen=True)
class Peer:
    """One peer: the distribution to install, the module to import, its parameter for threads.

    ``threads`` is None for a peer without such a parameter: LIBSVM's OpenMP is limited from
    outside, LIBLINEAR has one thread.
    """

    package: str
    module: str
    threads: str | None = None


PEERS = {
    "scikit-learn": Peer("scikit-learn", "sklearn", "n_jobs"),
    "scikit-learn-intelex": Peer("scikit-learn-intelex", "sklearnex", "n_jobs"),
    "lightgbm": Peer("lightgbm", "lightgbm", "n_jobs"),
    "xgboost": Peer("xgboost", "xgboost", "n_jobs"),
    "catboost": Peer("catboost", "catboost", "thread_count"),
    "ydf": Peer("ydf", "ydf", "num_threads"),
    "libsvm": Peer("libsvm-official", "libsvm.svmutil"),
    "liblinear": Peer("liblinear-official", "liblinear.liblinearutil"),
    "pyfim": Peer("pyfim", "fim"),
    "skrebate": Peer("skrebate", "skrebate", "n_jobs"),
    "mrmr": Peer("mrmr-selection", "mrmr", "n_jobs"),
    "mlxtend": Peer("mlxtend", "mlxtend", "n_jobs"),
    "minisom": Peer("MiniSom", "minisom"),
    "python-crfsuite": Peer("python-crfsuite", "pycrfsuite"),
    "river": Peer("river", "river"),
    "kmedoids": Peer("kmedoids", "kmedoids"),
    "stepmix": Peer("stepmix", "stepmix"),
    "boruta": Peer("boruta", "boruta"),
    "pyagrum": Peer("pyagrum", "pyagrum"),
    "scikit-activeml": Peer("scikit-activeml", "skactiveml"),
}
HELPERS = ("branchline", "numpy", "scipy", "pandas", "polars", "pyarrow", "threadpoolctl")

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "POLARS_MAX_THREADS",
)


def import_peer(name: str, submodule: str = "") -> ModuleType:
    """Import a peer, or one of its submodules; ModuleNotFoundError when it is not installed."""
    return import_module(PEERS[name].module + (f".{submodule}" if submodule else ""))


def thread_setting(name: str, threads: int) -> dict[str, int]:
    """Return the keyword argument that gives a peer its number of threads; empty if it has none."""
    parameter = PEERS[name].threads
    return {parameter: threads} if parameter else {}


def limit_processes(threads: int) -> None:
    """Set the variables that libraries read when they are first imported, here and in children."""
    for variable in _THREAD_VARIABLES:
        os.environ[variable] = str(threads)


@contextmanager
def limit_libraries(threads: int) -> Iterator[None]:
    """Limit the OpenMP and BLAS pools that are loaded now."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(threads):
        yield


def version_of(package: str) -> str | None:
    """Return the installed version of a distribution, None when it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def version_of_competitor(name: str) -> str | None:
    """Return the version behind a competitor's name, None for variants and what is absent."""
    if name in PEERS:
        return version_of(PEERS[name].package)
    return version_of(name) if name in HELPERS else None


def versions() -> dict[str, str | None]:
    """Return the versions of Branchline, every peer and the libraries under them."""
    packages = [*HELPERS, *(peer.package for peer in PEERS.values())]
    return {package: version_of(package) for package in packages}
