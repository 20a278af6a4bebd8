"""Timing: every competitor warmed up, then all of them timed in turns.

1. Warm-up: each call runs once, untimed; its result is scored.
2. If that was quick, a second, discarded call tells how many calls make one sample of at least
   ``SAMPLE_SECONDS``.
3. Rounds: in each round every competitor gives one sample, starting one place further each time, so
   that noise on the machine hits all of them alike.
4. A competitor that has used ``BUDGET_SECONDS`` gives no further samples.
In a short run, a first call of ``SHORT_SECONDS`` or more is a sample, and the only one: the first
call of a fit is slower by a few hundredths, and by more only where it is short.
"""

import gc
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

__all__ = ["Call", "Timed", "time_in_turns", "warm_up"]

SAMPLE_SECONDS = 0.02
SLOW_SECONDS = 1.0
BUDGET_SECONDS = 20.0
SHORT_SECONDS = 3.0
MOST_CALLS = 1000

Call = Callable[[], Any]


@dataclass
class Timed:
    """One competitor's call, how many calls make a sample, and the seconds per call of each."""

    call: Call
    calls: int = 1
    seconds: list[float] = field(default_factory=list)


def warm_up(call: Call, *, short: bool = False) -> tuple[Timed, Any]:
    """Run ``call`` untimed; return it with the number of calls of a sample, and its result.

    In a short run, a call that takes long is timed at once.
    """
    begin = perf_counter()
    result = call()
    seconds = perf_counter() - begin
    if short and seconds >= SHORT_SECONDS:
        return Timed(call, 1, [seconds]), result
    if seconds < SLOW_SECONDS:
        seconds = _sample(call, 1)
    return Timed(call, calls_of_sample(seconds)), result


def calls_of_sample(seconds_of_call: float) -> int:
    """Return how many calls make one sample long enough to time."""
    return min(MOST_CALLS, math.ceil(SAMPLE_SECONDS / max(seconds_of_call, 1e-9)))


def time_in_turns(timed: Mapping[str, Timed], n_repeats: int, *, short: bool = False) -> None:
    """Add ``n_repeats`` samples to every competitor, interleaved, within the budget of each."""
    budget = SHORT_SECONDS if short else BUDGET_SECONDS
    names = list(timed)
    for turn in range(n_repeats):
        start = turn % max(1, len(names))
        for name in names[start:] + names[:start]:
            one = timed[name]
            if sum(one.seconds) * one.calls < budget:
                one.seconds.append(_sample(one.call, one.calls))


def _sample(call: Call, calls: int) -> float:
    gc.collect()
    gc.disable()
    try:
        begin = perf_counter()
        for _ in range(calls):
            call()
        return (perf_counter() - begin) / calls
    finally:
        gc.enable()
