"""Promoters by a string kernel: each sequence left out in turn, beside published errors.

1. 106 stretches of DNA of 57 symbols, half of them promoters (Towell, Shavlik and Noordewier 1990).
2. An SVM of the weighted degree kernel, which compares sequences place by place: degree 8 (its
   default), C = 1. Each sequence is left out in turn, exactly (``loo_error``).
3. Published methods have 4 to 13 wrong. The errors of other degrees are in the notes.

Leaving out one sequence is not enough here. Nearly all sequences that are not promoters overlap
others: they are windows of one stretch of DNA. So each is left out once more, with all that share
15 symbols in a row with it. Kernels of common parts, wherever they are, look excellent before that
and poor after it; the notes show them.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._validation import Given, check_parameters
from branchline.kernels import Kernel, Spectrum, WeightedDegree
from branchline.reproduce._comparing_digits import worded
from branchline.reproduce._reproduction import Figure, Line, Reproduction
from branchline.reproduce._sequences import Sequences, read_sequences
from branchline.svm import SVC

__all__ = ["promoters"]

_SHAPE = "106 × 57"
_BEST, _WORST = 4, 13
_C = 1.0
_OVERLAP, _LONG_OVERLAP = 15, 20
_KERNEL = WeightedDegree(degree=8, shift=0)
_OTHER_DEGREES = (1, 2, 4, 6, 12, 20)
_COMMON_PARTS = (Spectrum(k=5), Spectrum(k=6))

Tell = Callable[[str], None]
Truths = npt.NDArray[np.bool_]


def promoters(
    data: str | os.PathLike[str] | None = None, *, tell: Tell | None = None
) -> Reproduction:
    """Count the promoters that an SVM with a string kernel gets wrong, beside published counts.

    Parameters
    ----------
    data
        The folder with promoters.data, or the folder around it; None (default): the folder that the
        environment variable BRANCHLINE_DATA names.
    tell
        Called with a sentence whenever a kernel is done. Default None: nothing is called.

    See Also
    --------
    Reproduction : a published table beside ours.
    """
    rules: dict[str, Any] = {"data": Given((str, os.PathLike), "a folder")}
    check_parameters("promoters", {"data": data}, rules)
    rows = read_sequences("promoters", data)
    overlaps = _overlapping(rows, _OVERLAP)
    alone, apart = _count_wrong(_KERNEL, rows, overlaps, tell)
    shape = worded("sequences × symbols", _SHAPE, rows.shape)
    lines = [
        _line("each left out", alone),
        _line(f"with all that share {_OVERLAP} symbols in a row", apart),
        *(() if shape.agrees else (Line("sequences × symbols", (shape,)),)),
    ]
    return Reproduction(
        f"Promoters, {rows.shape} symbols, left out in turn; "
        f"SVM, {_KERNEL.normalized()}, C = {_C:g}",
        tuple(lines),
        f"no more than the published {_BEST} to {_WORST}",
        (
            _note_of_degrees(rows),
            _note_of_overlaps(rows),
            _note_of_common_parts(rows, overlaps, tell),
        ),
        is_wide=True,
    )


def _line(name: str, wrong: int) -> Line:
    printed = f"{_BEST} to {_WORST}"
    return Line(name, (Figure("sequences wrong", printed, float(wrong), wrong <= _WORST, 0),))


def _overlapping(rows: Sequences, n_symbols: int) -> Truths:
    """Return which pairs share ``n_symbols`` symbols in a row; each does so with itself."""
    found: Truths = Spectrum(k=n_symbols).gram(rows.texts) > 0
    found[np.diag_indices(len(found))] = True
    return found


def _machine(kernel: Kernel) -> SVC:
    # Normalized, so that C means the same for all kernels.
    return SVC(_C, kernel=kernel.normalized())


def _left_out(kernel: Kernel, rows: Sequences) -> int:
    """Return how many are wrong when each is left out alone."""
    model = _machine(kernel).fit(rows.texts, rows.classes)
    return round(model.loo_error() * len(rows.texts))


def _count_wrong(
    kernel: Kernel, rows: Sequences, overlaps: Truths, tell: Tell | None
) -> tuple[int, int]:
    """Return how many are wrong when they are left out, alone and with those that overlap them."""
    alone, apart = _left_out(kernel, rows), 0
    for row, text in enumerate(rows.texts):
        others = rows.take(np.flatnonzero(~overlaps[row]))
        said_class = _machine(kernel).fit(others.texts, others.classes).predict([text])[0]
        apart += int(said_class != rows.classes[row])
    if tell is not None:
        tell(f"{kernel}: {alone} wrong, {apart} with overlapping ones left out too")
    return alone, apart


def _note_of_degrees(rows: Sequences) -> str:
    counts = [
        f"{degree}: {_left_out(WeightedDegree(degree=degree), rows)}" for degree in _OTHER_DEGREES
    ]
    return f"Other degrees, wrong when each is left out: {', '.join(counts)}."


def _note_of_overlaps(rows: Sequences) -> str:
    overlaps = _overlapping(rows, _LONG_OVERLAP)
    shares = []
    for name in np.unique(rows.classes).tolist():
        here = rows.classes == name
        count = int((overlaps[np.ix_(here, here)].sum(axis=1) > 1).sum())
        shares.append(f"{count} of the {int(here.sum())} of class {name!r}")
    return (
        f"Sequences overlap: {' and '.join(shares)} have {_LONG_OVERLAP} symbols in a row in "
        "common with another of their class, as windows of one stretch of DNA have. Such a pair "
        "tells the class of the one that is left out."
    )


def _note_of_common_parts(rows: Sequences, overlaps: Truths, tell: Tell | None) -> str:
    counts = []
    for kernel in _COMMON_PARTS:
        alone, apart = _count_wrong(kernel, rows, overlaps, tell)
        counts.append(f"{kernel} {alone}, then {apart}")
    return (
        "Kernels of common parts anywhere, wrong when each is left out, then with overlapping ones "
        f"left out too: {'; '.join(counts)}. More of one class than of the other are left out "
        "then, which costs some by itself."
    )
