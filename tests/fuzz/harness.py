"""Trying many damaged files in processes of their own: crashes and hangs are seen and counted.

1. Workers are forked from a clean server process; each gets a limit on its memory.
2. A worker tries mutant after mutant and reports each outcome. A mutant's number determines it.
3. When a worker dies, or is silent for longer than the time limit, the mutant it was at is the
   offender; the worker is replaced and goes on with the next one.
"""

import argparse
import faulthandler
import multiprocessing
import os
import pickle
import resource
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from processor_time import processor_seconds

__all__ = ["FAILURES", "Campaign", "Result", "main", "run", "summary"]

OUTCOMES = ("usable", "refused", "crash", "hang", "untyped")
FAILURES = frozenset(("crash", "hang", "untyped"))

_ERRORS = "stderr.txt"
_SHARED = "shared.pickle"
_START_UP = 600.0  # seconds for a worker to import the library and make its corpus
_CLOCK = 10  # seconds on the clock for each second of work that a mutant may take


@dataclass(frozen=True)
class Campaign:
    """What is tried.

    Parameters
    ----------
    module
        The module that holds this campaign as ``CAMPAIGN``.
    preload
        What the server imports before it forks (not ``module``, which may be the main one).
    kinds
        The kinds of mutants; mutant i is of kind i mod their number.
    attempt
        Tries mutant (seed, number) and returns "usable" or "refused"; any exception is a failure.
    prepare
        Called once in each worker, whose current folder is its own and empty.
    share
        Called once, before there are workers: what it returns is handed to ``receive`` in each of
        them, before ``prepare``. For what takes long to make.
    receive
        Takes what ``share`` made.
    """

    module: str
    preload: Sequence[str]
    kinds: Sequence[str]
    attempt: Callable[[int, int], str]
    prepare: Callable[[], object]
    share: Callable[[], Any] | None = None
    receive: Callable[[Any], object] | None = None

    def kind_of(self, number: int) -> str:
        """Return the kind of a mutant."""
        return self.kinds[number % len(self.kinds)]


@dataclass(frozen=True)
class Result:
    """How one mutant ended."""

    number: int
    kind: str
    outcome: str
    detail: str = ""


def run(
    campaign: Campaign,
    numbers: Iterable[int],
    *,
    seed: int,
    n_workers: int = 2,
    limit_s: float = 5.0,
    memory: int = 2**30,
) -> list[Result]:
    """Try mutants and return their results, in order.

    Parameters
    ----------
    campaign
        What is tried.
    numbers
        Which mutants.
    seed
        With a mutant's number, determines it.
    n_workers
        Processes at a time.
    limit_s
        The most seconds of processor time that a mutant may take; and the tenth part of the most
        seconds on the clock, for one that waits for ever. A busy machine changes nothing.
    memory
        The most bytes a worker may allocate beyond what it has when it starts.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(campaign.preload))
    wanted = list(numbers)
    with tempfile.TemporaryDirectory(prefix="branchline-fuzz-") as folder:
        if campaign.share is not None:
            Path(folder, _SHARED).write_bytes(pickle.dumps(campaign.share()))
        order = _Order(context, campaign, seed, limit_s, memory, folder)
        lanes = [_Lane(order, wanted[place::n_workers]) for place in range(n_workers)]
        try:
            _drive(lanes)
        finally:
            for lane in lanes:
                lane.close()
    return sorted((each for lane in lanes for each in lane.results), key=lambda r: r.number)


def _drive(lanes: "list[_Lane]") -> None:
    while busy := [lane for lane in lanes if not lane.is_done]:
        soonest = min(lane.time_left for lane in busy)
        wait([lane.pipe for lane in busy], timeout=max(0.0, soonest))
        for lane in busy:
            lane.look()


@dataclass(frozen=True)
class _Order:
    """What all lanes share."""

    context: Any
    campaign: Campaign
    seed: int
    limit_s: float
    memory: int
    folder: str


class _Lane:
    """A row of mutants and the worker that is at it."""

    def __init__(self, order: _Order, numbers: list[int]) -> None:
        self._order, self._numbers = order, numbers
        self.results: list[Result] = []
        self._start()

    @property
    def is_done(self) -> bool:
        return len(self.results) == len(self._numbers)

    @property
    def time_left(self) -> float:
        return self._deadline - monotonic()

    def look(self) -> None:
        """Take in what the worker has reported; replace it when it died or hangs."""
        try:
            while self.pipe.poll():
                self._take(self.pipe.recv())
        except (EOFError, ConnectionResetError):
            self._process.join()
            said = Path(self._folder, _ERRORS).read_text(encoding="utf-8", errors="replace")
            self._offender("crash", f"exit status {self._process.exitcode}\n{said[-2000:]}")
            return
        if self.time_left <= 0 and not self.is_done and not self._may_go_on():
            self._offender("hang", f"more than {self._order.limit_s} s")

    def close(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        order, left = self._order, self._numbers[len(self.results) :]
        self.pipe, theirs = order.context.Pipe(duplex=False)
        self._folder = tempfile.mkdtemp(dir=order.folder)
        task = (order.campaign.module, left, order.seed, order.memory, self._folder, theirs)
        self._process = order.context.Process(target=_work, args=task, daemon=True)
        self._process.start()
        theirs.close()
        self._is_ready, self._begin, self._worked = False, monotonic(), 0.0
        self._deadline = self._begin + _START_UP

    def _may_go_on(self) -> bool:
        """Whether the mutant has not worked for as long as it may; if so, look again later."""
        limit = self._order.limit_s
        if not self._is_ready or monotonic() > self._begin + _CLOCK * limit:
            return False
        left = limit - (self._seconds_worked() - self._worked)
        self._deadline = monotonic() + max(0.05, left)
        return left > 0

    def _seconds_worked(self) -> float:
        try:
            return processor_seconds(self._process.pid)
        except (FileNotFoundError, ProcessLookupError):  # it has ended, which its pipe will tell
            return 0.0

    def _take(self, message: tuple[str, str] | None) -> None:
        self._begin, self._worked = monotonic(), self._seconds_worked()
        self._deadline = self._begin + self._order.limit_s
        if message is None:
            self._is_ready = True
        elif not self.is_done:
            self._add(*message)

    def _add(self, outcome: str, detail: str) -> None:
        number = self._numbers[len(self.results)]
        self.results.append(Result(number, self._order.campaign.kind_of(number), outcome, detail))

    def _offender(self, outcome: str, detail: str) -> None:
        if self.is_done:
            return
        if not self._is_ready:
            raise RuntimeError(f"a worker could not start: {detail}")
        self._add(outcome, detail)
        self.close()
        self._start()


def _work(
    module: str, numbers: list[int], seed: int, memory: int, folder: str, pipe: Connection
) -> None:
    os.chdir(folder)
    with open(_ERRORS, "wb") as file:
        os.dup2(file.fileno(), 2)  # what C++ and Rust say too; shown when there is a crash
    faulthandler.enable()
    campaign: Campaign = import_module(module).CAMPAIGN
    if campaign.receive is not None:
        campaign.receive(pickle.loads(Path(folder).with_name(_SHARED).read_bytes()))
    campaign.prepare()
    with open("/proc/self/statm", encoding="ascii") as file:
        in_use = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + memory, in_use + memory))
    pipe.send(None)
    for number in numbers:
        try:
            pipe.send((campaign.attempt(seed, number), ""))
        except Exception:
            pipe.send(("untyped", traceback.format_exc(limit=-8)))


def summary(campaign: Campaign, results: Sequence[Result], seed: int) -> str:
    """Return a line for each kind, then each failure with the command that repeats it."""
    lines = ["kind".ljust(12) + "".join(name.rjust(10) for name in ("mutants", *OUTCOMES))]
    for kind in (*campaign.kinds, "all"):
        counts = Counter(r.outcome for r in results if kind in (r.kind, "all"))
        numbers = (counts.total(), *(counts[name] for name in OUTCOMES))
        lines.append(kind.ljust(12) + "".join(str(count).rjust(10) for count in numbers))
    for r in results:
        if r.outcome in FAILURES:
            lines.append(f"\n{r.outcome} of {r.kind} mutant {r.number}, to be repeated with")
            lines.append(f"  python -m {campaign.module} --seed {seed} --only {r.number}")
            lines.append(r.detail)
    return "\n".join(lines)


def main(campaign: Campaign, arguments: Sequence[str] | None = None) -> None:
    """Run from the command line; the exit status is 1 when there was a failure."""
    parser = argparse.ArgumentParser(prog=f"python -m {campaign.module}")
    parser.add_argument("--mutants", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other mutants")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--only", type=int, help="repeat one mutant, in this process")
    given = parser.parse_args(arguments)
    if given.only is not None:
        with tempfile.TemporaryDirectory(prefix="branchline-fuzz-") as folder:
            os.chdir(folder)
            campaign.prepare()
            print(campaign.kind_of(given.only), campaign.attempt(given.seed, given.only))
        return
    numbers = range(given.mutants)
    results = run(campaign, numbers, seed=given.seed, n_workers=given.workers)
    print(summary(campaign, results, given.seed))
    sys.exit(any(r.outcome in FAILURES for r in results))
