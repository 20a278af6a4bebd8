"""Fitting a model on the workers of a cluster: the model is that of a fit in one process."""

import contextlib
from pathlib import Path
from typing import Any, TypeVar

from branchline._part_rounds import round_engine
from branchline._tree_work import tree_engine
from branchline._validation import AnyOf, Constraint, OneOf, Whole, check_parameters
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import ClusterError, ParameterError, Repair
from branchline.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.scale._checkpoints import Checkpoints
from branchline.scale._engine import connected
from branchline.scale._listener import Listener
from branchline.scale._makers import Makers, OnProgress, Teller, with_kept
from branchline.scale._placement import Placement

__all__ = ["fit_on"]

Model = TypeVar("Model")

_LIMITS: dict[str, Constraint] = {
    "every": Whole(1),
    "n_parts": AnyOf((OneOf((None,)), Whole(1))),
    "block_rows": Whole(1, 16384),
}
_LOOPBACK = "127.0.0.1"
_BY_ROWS = (GradientBoostingClassifier, GradientBoostingRegressor)
_BY_TREES = (
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
)


def fit_on(  # noqa: PLR0913 (every choice a user may make, by name)
    engine: Any,
    model: Model,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    n_parts: int | None = None,
    checkpoint: str | Path | None = None,
    every: int = 10,
    resume: bool = False,
    patience: float = 30.0,
    listen: str | None = None,
    block_rows: int = 16384,
    on_progress: OnProgress | None = None,
    **fit_parameters: Any,
) -> Model:
    """Fit gradient boosting or a forest on the workers of a cluster.

    The model is the same, to the last bit, as after ``model.fit(X, y)``: for any number of workers,
    and whatever happens to them. This process codes the table. Boosting: each worker keeps the
    codes of some rows, counts histograms of integers, and sends them here, where tests are found in
    their sums. Forests: each worker keeps the codes of all rows, and grows some of the trees. A
    worker that is lost is replaced.

    Parameters
    ----------
    engine
        A ``distributed.Client``, "tcp://HOST:PORT" (a Dask scheduler), or "local:4" (four processes
        on this machine).
    model
        A ``GradientBoostingClassifier`` or ``GradientBoostingRegressor`` with a loss whose leaves
        are Newton steps, and constant leaves; or a random forest or extra-trees. It is fitted and
        returned.
    X, y, sample_weight
        The table, its target, and weights of rows.
    n_parts
        Into how many parts rows are cut; for a forest: the number of sessions that grow trees.
        Default None: one for each worker.
    checkpoint
        A folder that keeps finished rounds or trees. Default None: they are not kept.
    every
        The number of rounds or trees after which they are written there. Default 10.
    resume
        Whether to continue from the rounds or trees in the folder. Default False.
    patience
        Seconds of silence after which a worker is taken for lost. Default 30.
    listen
        The address of this machine that workers connect to. Default None: 127.0.0.1, which only
        workers on this machine reach.
    block_rows
        Number of rows that a worker counts at a time; results do not depend on it. Default 16384.
    on_progress
        Called with a ``Progress`` after each round, or whenever trees of a forest have come;
        ``print`` shows it as a line.
    **fit_parameters
        More parameters of ``model.fit``, such as ``eval_set``.

    Raises
    ------
    ParameterError
        P950 for the engine, P951 for a model that a cluster does not grow, P952 for a scheduler on
        another machine without ``listen``.
    ClusterError
        X011 to X018: the cluster cannot be reached, too many of its workers were lost, or their
        memory is too small for the codes of a forest.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.boosting import GradientBoostingClassifier
    >>> from branchline.scale import fit_on
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = GradientBoostingClassifier(n_estimators=20)
    >>> fitted = fit_on("local:2", model, X, y)  # doctest: +SKIP
    """
    check_parameters(
        "fit_on", {"every": every, "n_parts": n_parts, "block_rows": block_rows}, _LIMITS
    )
    if not isinstance(model, _BY_ROWS + _BY_TREES):
        raise _not_on_a_cluster(model)
    kept = None if checkpoint is None else Checkpoints(checkpoint, every, resume=resume)
    with connected(engine) as client, contextlib.ExitStack() as ending:
        placement = Placement(client, n_threads=min(client.nthreads().values(), default=1))
        ending.callback(placement.close)
        host = _host_of(client, listen)
        listener = Listener(host, _encryption(client, placement))
        ending.callback(listener.close)
        n_rounds = model.n_estimators if isinstance(model.n_estimators, int) else None
        teller = Teller(on_progress, n_rounds)
        makers = Makers(placement, listener, n_parts, block_rows, patience, kept, teller)
        ending.callback(makers.close)
        try:
            with round_engine(makers.of_rounds), tree_engine(makers.of_trees):
                model.fit(X, y, sample_weight=sample_weight, **fit_parameters)
        except ClusterError as problem:
            raise with_kept(problem, kept) from problem
    return model


def _not_on_a_cluster(model: Any) -> ParameterError:
    name = type(model).__name__
    return ParameterError(
        f"{name} is not grown by the workers of a cluster. Those that are: gradient boosting by "
        "parts of the rows; random forests and extra-trees by trees.",
        code="P951",
        values=[name],
        repair=Repair("model.fit(X, y)"),
    )


def _host_of(client: Any, listen: str | None) -> str:
    """Return the address to listen on; refuse to guess one that other machines reach."""
    address = str(client.scheduler.address)
    is_here = address.startswith("inproc") or "//127." in address or "//[::1]" in address
    if listen is None and not is_here:
        raise ParameterError(
            f"The scheduler is at {address}: its workers cannot reach 127.0.0.1 of this machine. "
            "Give the address of this machine that they reach.",
            code="P952",
            repair=Repair("fit_on(engine, model, X, y, listen='10.0.0.5')"),
        )
    return _LOOPBACK if listen is None else listen


def _encryption(client: Any, placement: Placement) -> Any:
    """Return how connections are encrypted: with the certificates of the client; None: not."""
    if not placement.is_encrypted:
        return None
    return client.security.get_listen_args("client")["ssl_context"]
