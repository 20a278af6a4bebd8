"""Splice junctions by a string kernel: five folds, beside published errors of each class.

1. 3 190 stretches of DNA of 60 symbols: a border from exon to intron (EI) in the middle, one from
   intron to exon (IE), or neither (N) (Towell, Noordewier and Shavlik 1992).
2. An SVM of the weighted degree kernel, degree 8 (its default), C = 1.
3. Sequences that are equal are kept in one fold: none is predicted by a model that has seen it.
4. Many are nearly equal, as genes of one family are. A note has the error when sequences with 42 of
   60 symbols in common are kept in one fold as well.
5. The published errors are those of ten folds of 1 000 sequences drawn from these. KBANN, which
   starts from what biologists know, has the least on the whole.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from branchline._validation import Flag, Given, check_parameters, check_seed
from branchline.kernels import WeightedDegree
from branchline.reproduce._comparing_digits import worded
from branchline.reproduce._reproduction import Figure, Line, Reproduction
from branchline.reproduce._sequences import Sequences, read_sequences
from branchline.svm import SVC

__all__ = ["splice"]

_SHAPE = "3190 × 60"
_C = 1.0
_N_FOLDS = 5
_QUICK_ROWS = 1000
_NEAR = 0.7
_KERNEL = WeightedDegree(degree=8, shift=0)
_CLASSES = {"N": "neither", "EI": "exon to intron", "IE": "intron to exon"}
# Errors in per cent for N, EI and IE.
_PUBLISHED = {
    "KBANN": (4.62, 7.56, 8.47),
    "back-propagation": (5.29, 5.74, 10.75),
    "PEBLS": (6.86, 8.18, 7.55),
    "perceptron": (3.99, 16.32, 17.41),
    "ID3": (8.84, 10.58, 13.99),
    "COBWEB": (11.80, 15.04, 9.46),
    "nearest neighbor": (31.11, 11.65, 9.09),
}

Wholes = npt.NDArray[np.intp]


def splice(
    data: str | os.PathLike[str] | None = None,
    *,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> Reproduction:
    """Find splice junctions by an SVM with a string kernel, beside published errors.

    Parameters
    ----------
    data
        The folder with splice.data or splice.arff, or the folder around it; None (default): the
        folder that the environment variable BRANCHLINE_DATA names.
    quick
        1 000 sequences drawn from all, as many as the published errors are of. Default False.
    random_state
        The seed of folds and draws. Default 0.
    tell
        Called with a sentence whenever a fold is done. Default None: nothing is called.

    See Also
    --------
    Reproduction : a published table beside ours.
    """
    given = {"data": data, "quick": quick}
    rules: dict[str, Any] = {"data": Given((str, os.PathLike), "a folder"), "quick": Flag()}
    check_parameters("splice", given, rules)
    rng = np.random.default_rng(check_seed(random_state))
    rows = read_sequences("splice", data)
    shape = worded("sequences × symbols", _SHAPE, rows.shape)
    if quick:
        rows = rows.take(rng.permutation(len(rows.texts))[:_QUICK_ROWS])
    wrong = _wrong(rows, _deal(_equal(rows.texts), rng), tell)
    strictly = _wrong(rows, _deal(_families(rows.texts), rng), tell)
    return Reproduction(
        f"Splice junctions, {rows.shape} symbols, {_N_FOLDS} folds; "
        f"SVM, {_KERNEL.normalized()}, C = {_C:g}",
        (*_lines(rows, wrong), *(() if shape.agrees else (Line("sequences × symbols", (shape,)),))),
        "no more errors than KBANN, the best that is published",
        _notes(rows, wrong, strictly),
        is_wide=True,
    )


def _equal(texts: list[str]) -> Wholes:
    """Return a number for each sequence, one for all that are equal."""
    groups: Wholes = np.unique(np.array(texts), return_inverse=True)[1]
    return groups


def _families(texts: list[str]) -> Wholes:
    """Return a number for each sequence, one for all that are linked by nearly equal ones."""
    n_equal_places = WeightedDegree(degree=1).gram(texts)
    length = max(len(text) for text in texts)
    groups: Wholes = connected_components(n_equal_places >= _NEAR * length)[1]
    return groups


def _deal(group_of_row: Wholes, rng: np.random.Generator) -> Wholes:
    """Return the fold of each sequence, one for each group."""
    fold: Wholes = rng.permutation(int(group_of_row.max()) + 1)[group_of_row] % _N_FOLDS
    return fold


def _wrong(
    rows: Sequences, fold: Wholes, tell: Callable[[str], None] | None
) -> npt.NDArray[np.bool_]:
    """Return which sequences are predicted wrongly by models that have not seen them."""
    wrong = np.zeros(len(rows.texts), dtype=bool)
    for part in range(_N_FOLDS):
        here = np.flatnonzero(fold == part)
        known, new = rows.take(np.flatnonzero(fold != part)), rows.take(here)
        # Normalized, so that C does not depend on the length of sequences.
        model = SVC(_C, kernel=_KERNEL.normalized()).fit(known.texts, known.classes)
        wrong[here] = model.predict(new.texts) != new.classes
        if tell is not None:
            tell(f"fold {part + 1}: {int(wrong[here].sum())} of {len(here)} wrong")
    return wrong


def _lines(rows: Sequences, wrong: npt.NDArray[np.bool_]) -> list[Line]:
    lines = []
    for name, published in zip(_CLASSES, _PUBLISHED["KBANN"], strict=True):
        error = 100 * float(wrong[rows.classes == name].mean())
        figure = Figure("% wrong", published, error, error <= published, digits=2)
        lines.append(Line(f"{name} ({_CLASSES[name]})", (figure,)))
    return lines


def _notes(
    rows: Sequences, wrong: npt.NDArray[np.bool_], strictly: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    others = [
        f"{name} {' / '.join(f'{error:.2f}' for error in errors)}"
        for name, errors in _PUBLISHED.items()
    ]
    return (
        f"Published, ten folds of {_QUICK_ROWS} sequences, % wrong of N / EI / IE: "
        f"{'; '.join(others)}.",
        f"Ours in all: {100 * float(wrong.mean()):.2f} % wrong. {len(set(rows.texts))} of "
        f"{len(wrong)} sequences are distinct; equal ones are in one fold.",
        f"With those in one fold too that agree in {100 * _NEAR:.0f} % of their symbols: "
        f"{100 * float(strictly.mean()):.2f} % wrong.",
    )
