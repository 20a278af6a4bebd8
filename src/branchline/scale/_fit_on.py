"""Fitting a model on the workers of a cluster: the model is that of a fit in one process."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from branchline._arrays import AnyArray, Floats
from branchline._part_rounds import RoundMaker, RoundWork, round_engine
from branchline._validation import AnyOf, Constraint, OneOf, Whole, check_parameters
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import ParameterError, Repair
from branchline.scale._checkpoints import Checkpoints
from branchline.scale._engine import connected
from branchline.scale._listener import Listener
from branchline.scale._parts import Parts, Traffic
from branchline.scale._placement import Placement

__all__ = ["Progress", "fit_on"]

Model = TypeVar("Model")

_LIMITS: dict[str, Constraint] = {
    "every": Whole(1),
    "n_parts": AnyOf((OneOf((None,)), Whole(1))),
    "block_rows": Whole(1, 16384),
}
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Progress:
    """How far a fit is.

    Parameters
    ----------
    n_done
        The number of rounds that are made.
    n_rounds
        The number of rounds there will be at most; None: not known.
    rows_per_second
        Rows of the table times rounds, per second.
    seconds_left
        How long the rest will take; None: not known.
    traffic
        What was sent so far.
    """

    n_done: int
    n_rounds: int | None
    rows_per_second: float
    seconds_left: float | None
    traffic: Traffic


OnProgress = Callable[[Progress], None]


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
    """Fit gradient boosting on the workers of a cluster, each with a part of the rows.

    The model is the same, to the last bit, as after ``model.fit(X, y)``: for any number of workers,
    and whatever happens to them. This process codes the table; workers keep the codes of their
    rows, count histograms of integers, and send their sums. A worker that is lost is replaced.

    Parameters
    ----------
    engine
        A ``distributed.Client``, "tcp://HOST:PORT" (a Dask scheduler), or "local:4" (four processes
        on this machine).
    model
        A ``GradientBoostingClassifier`` or ``GradientBoostingRegressor`` with a loss whose leaves
        are Newton steps, and constant leaves. It is fitted and returned.
    X, y, sample_weight
        The table, its target, and weights of rows.
    n_parts
        Into how many parts rows are cut. Default None: one for each worker.
    checkpoint
        A folder that keeps finished rounds. Default None: they are not kept.
    every
        The number of rounds after which they are written there. Default 10.
    resume
        Whether to continue from the rounds in the folder. Default False.
    patience
        Seconds of silence after which a worker is taken for lost. Default 30.
    listen
        The address of this machine that workers connect to. Default None: 127.0.0.1, which only
        workers on this machine reach.
    block_rows
        Number of rows that a worker counts at a time; results do not depend on it. Default 16384.
    on_progress
        Called after each round with a ``Progress``.
    **fit_parameters
        More parameters of ``model.fit``, such as ``eval_set``.

    Raises
    ------
    ParameterError
        P950 for the engine, P951 for a model that is not grown by parts of the rows, P952 for a
        scheduler on another machine without ``listen``.
    ClusterError
        X011 to X016: the cluster cannot be reached, or too many of its workers were lost.

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
    if not isinstance(model, GradientBoostingClassifier | GradientBoostingRegressor):
        raise _not_by_parts(model)
    kept = None if checkpoint is None else Checkpoints(checkpoint, every, resume=resume)
    with connected(engine) as client, contextlib.ExitStack() as ending:
        placement = Placement(client, n_threads=min(client.nthreads().values(), default=1))
        ending.callback(placement.close)
        host = _host_of(client, listen)
        listener = Listener(host, _encryption(client, placement))
        ending.callback(listener.close)
        n_wanted = n_parts or len(placement.workers())

        def begin(work: RoundWork) -> Parts:
            known = [] if kept is None else kept.read(work.digest())
            return Parts(
                work,
                placement,
                listener,
                n_parts=n_wanted,
                block_rows=block_rows,
                patience=patience,
                rounds=known,
            )

        makers = _Makers(begin, kept, _Teller(on_progress, model))
        ending.callback(makers.close)
        with round_engine(makers.begin):
            model.fit(X, y, sample_weight=sample_weight, **fit_parameters)
    return model


class _Makers:
    """The works of a fit, one after the other: a search for the number of rounds, then the fit."""

    def __init__(
        self, begin: Callable[[RoundWork], Parts], kept: Checkpoints | None, teller: "_Teller"
    ) -> None:
        self._begin, self._kept, self._teller = begin, kept, teller
        self._parts: Parts | None = None

    def begin(self, work: RoundWork) -> RoundMaker:
        """Return what makes the rounds of the next work."""
        self.close()
        self._parts = self._begin(work)
        return _Maker(self._parts, self._kept, self._teller)

    def close(self) -> None:
        """Let the sessions of the last work end."""
        if self._parts is not None:
            self._parts.close()
        self._parts = None


class _Maker:
    """Makes the rounds of one work, keeps them, and tells of them."""

    def __init__(self, parts: Parts, kept: Checkpoints | None, teller: "_Teller") -> None:
        self._parts, self._kept, self._teller = parts, kept, teller
        self._digest = "" if kept is None else parts.work.digest()
        teller.begin(parts)

    def run(self, number: int, validation: AnyArray | None) -> dict[str, Any]:
        n_before = len(self._parts.rounds)
        made = self._parts.run(number, validation)
        if len(self._parts.rounds) > n_before and self._kept is not None:
            self._kept.write(self._digest, self._parts.rounds)
        self._teller.tell(number + 1)
        return made

    def scores(self) -> Floats:
        return self._parts.scores()


class _Teller:
    """Tells how far a fit is."""

    def __init__(self, on_progress: OnProgress | None, model: Any) -> None:
        self._on_progress = on_progress
        n_rounds = model.n_estimators
        self._n_rounds = n_rounds if isinstance(n_rounds, int) else None
        self._parts: Parts | None = None
        self._begun, self._n_begun = 0.0, 0

    def begin(self, parts: Parts) -> None:
        """Begin to count the rounds of a work."""
        self._parts, self._begun = parts, time.monotonic()
        self._n_begun = len(parts.rounds)

    def tell(self, n_done: int) -> None:
        """Tell of a round."""
        if self._on_progress is None or self._parts is None or n_done <= self._n_begun:
            return
        seconds = max(time.monotonic() - self._begun, 1e-9)
        n_made = n_done - self._n_begun
        left = None
        if self._n_rounds is not None:
            left = max(0, self._n_rounds - n_done) * seconds / n_made
        speed = n_made * self._parts.work.n_rows / seconds
        self._on_progress(Progress(n_done, self._n_rounds, speed, left, self._parts.traffic))


def _not_by_parts(model: Any) -> ParameterError:
    name = type(model).__name__
    return ParameterError(
        f"{name} is not grown by parts of the rows. Those that are: GradientBoostingClassifier "
        "and GradientBoostingRegressor.",
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
