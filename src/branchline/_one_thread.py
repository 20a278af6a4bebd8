"""One thread below Python: sums that are taken in one order, and workers that can be forked.

- BLAS shares sums among threads, so their last bits depend on how many there are.
- OpenMP's threads do not survive a fork: a child that asks for them waits for ever.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, wraps
from typing import Any, TypeVar, cast

from threadpoolctl import ThreadpoolController

__all__ = ["limit_threads", "one_thread", "one_thread_for"]

_FEW_CELLS = 2**17

Function = TypeVar("Function", bound=Callable[..., Any])


def limit_threads(user_api: str | None = None) -> AbstractContextManager[Any]:
    """Let libraries use one thread for a while: "blas", "openmp", or (None) both."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api=user_api)
    return limited


def one_thread_for(n_cells: int) -> AbstractContextManager[Any]:
    """Let BLAS use one thread for one product of a matrix and a vector.

    It waits for memory, so that threads wait for each other; for few cells BLAS takes one anyway.
    """
    return limit_threads("blas") if n_cells > _FEW_CELLS else nullcontext()


def one_thread(function: Function) -> Function:
    """Let libraries use one thread inside a function."""

    @wraps(function)
    def limited(*given: Any, **options: Any) -> Any:
        with limit_threads():
            return function(*given, **options)

    return cast("Function", limited)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks for the libraries, which takes milliseconds
