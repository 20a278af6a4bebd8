"""Sums of floats depend on how threads share them: here there is one thread, and one result."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]

Function = TypeVar("Function", bound=Callable[..., Any])


def one_thread(function: Function) -> Function:
    """Let BLAS use one thread inside a function, so that sums are always taken in one order."""

    @wraps(function)
    def limited(*given: Any, **options: Any) -> Any:
        with _controller().limit(limits=1):
            return function(*given, **options)

    return cast("Function", limited)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks for the libraries, which takes milliseconds
