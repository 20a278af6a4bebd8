"""Work in Python threads that hear Ctrl-C.

1. Threads take items in order. After a failure no further item is begun and later ones are
   interrupted; earlier ones finish, so that the error raised is the first one by order of items.
2. Ctrl-C reaches Python's main thread only. It interrupts the others by name: Python code raises
   KeyboardInterrupt at its next line, our kernels within a tenth of a second.
3. The caller leaves when all threads have ended. A second Ctrl-C leaves at once.
4. A thread works under the caller's settings (scikit-learn's, NumPy's), and joblib knows that it is
   a worker: what it calls starts no threads of its own, unless asked to.
"""

import contextvars
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

import joblib
from sklearn import config_context, get_config

from branchline import _core

__all__ = ["map_in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK_EVERY = 0.05  # seconds; waiting without an end could not be interrupted in another thread


def map_in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_threads: int
) -> list[Result]:
    """Return ``work(item)`` for each item, in order."""
    if n_threads == 1 or len(items) <= 1:
        return [work(item) for item in items]
    crew = _Crew(work, items)
    try:
        crew.start(min(n_threads, len(items)))
        crew.wait()
    except BaseException:
        crew.interrupt_after(-1)
        crew.wait()
        raise
    return crew.results()


class _Crew(Generic[Item, Result]):
    """Threads that share a list of items."""

    def __init__(self, work: Callable[[Item], Result], items: Sequence[Item]) -> None:
        self._work, self._items = work, items
        self._lock = threading.Lock()
        self._next = 0
        self._busy: dict[int, int] = {}  # the item of each thread that works
        self._threads: list[tuple[threading.Thread, threading.Event]] = []
        self._done: dict[int, Result] = {}
        self._failed: dict[int, BaseException] = {}

    def start(self, n_threads: int) -> None:
        """Begin to work in ``n_threads`` threads."""
        for _ in range(n_threads):
            ended = threading.Event()
            context = contextvars.copy_context()
            run = _under_these_settings(self._serve)
            # A daemon: after a second Ctrl-C the process may end before the thread does.
            thread = threading.Thread(target=context.run, args=(run, ended), daemon=True)
            self._threads.append((thread, ended))
            thread.start()

    def wait(self) -> None:
        """Return when all threads have ended."""
        for thread, ended in self._threads:
            # Not join(): interrupted, it holds a thread that works for one that has ended (3.11).
            while thread.is_alive() and not ended.wait(_LOOK_EVERY):
                pass

    def interrupt_after(self, item: int) -> None:
        """Begin nothing new, and interrupt threads at work on items after this one."""
        with self._lock:
            self._next = len(self._items)
            for ident, place in self._busy.items():
                if place > item:
                    _core.interrupt_thread(ident)

    def results(self) -> list[Result]:
        """Return what items gave, or raise the first failure."""
        if self._failed:
            raise self._failed[min(self._failed)]
        return [self._done[place] for place in range(len(self._items))]

    def _serve(self, ended: threading.Event) -> None:
        with suppress(KeyboardInterrupt):  # one that comes when the work is done
            try:
                while (place := self._take()) is not None:
                    self._try(place)
            finally:
                _core.forget_interruption()
                ended.set()

    def _try(self, place: int) -> None:
        try:
            self._done[place] = self._work(self._items[place])
        except BaseException as failure:  # raised again in the thread of the caller
            self._failed[place] = failure
            self.interrupt_after(place)

    def _take(self) -> int | None:
        ident = threading.get_ident()
        with self._lock:
            self._busy.pop(ident, None)
            if self._next >= len(self._items):
                return None
            self._busy[ident] = self._next
            self._next += 1
            return self._busy[ident]


def _under_these_settings(
    run: Callable[[threading.Event], None],
) -> Callable[[threading.Event], None]:
    settings = get_config()
    nested, _ = joblib.parallel.get_active_backend()[0].get_nested_backend()

    def begin(ended: threading.Event) -> None:
        with config_context(**settings), joblib.parallel_config(backend=nested):
            run(ended)

    return begin
