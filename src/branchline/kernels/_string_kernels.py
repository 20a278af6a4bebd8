"""Kernels on texts: how much of two sequences is the same.

1. A text is a sequence of symbols, one for each Unicode code point; capitals matter.
2. ``Spectrum`` counts common substrings of one length; ``CommonSubstrings`` those of all lengths;
   ``Subsequence`` allows gaps; ``WeightedDegree`` looks at the same places only.
3. A missing text is an empty one: its kernel is 0 with every text, itself too, and so is the
   normalized kernel. Texts shorter than what is looked for are 0 likewise. All four kernels are
   positive semidefinite.

Longer texts have larger kernels: ``.normalized()`` takes the length out. The formulas, and what a
pair of texts costs, stand in ``native/include/branchline/string_kernels.hpp``.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._dtypes import CLASS_INDEX, UNITS
from branchline._validation import Constraint, Real, Whole, check_parameters
from branchline.errors import DataError, ParameterError
from branchline.kernels._checks import check_columns
from branchline.kernels._points import StringPart
from branchline.kernels._string_kernel import StringKernel

__all__ = ["CommonSubstrings", "Spectrum", "Subsequence", "WeightedDegree"]

_SPECTRUM, _COMMON_SUBSTRINGS, _SUBSEQUENCE, _WEIGHTED_DEGREE = range(4)
_LENGTH = Whole(1, 1000)
_MOST_DECAY = 1e6
# What decay may make of the shortest match: well above the smallest double.
_LEAST_LOGARITHM = math.log(1e-280)
_MOST_SYMBOLS = 2**31 - 1

_Symbols = tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]


@dataclass(frozen=True, repr=False)
class NativeStringKernel(StringKernel):
    """What the kernels of this file share: parameters that are checked, and a native form."""

    _constraints: ClassVar[Mapping[str, Constraint]] = {}

    @abstractmethod
    def _form(self) -> Any:
        """Return the native form."""

    def __post_init__(self) -> None:
        check_columns(type(self).__name__, () if self.column is None else (self.column,))
        given = {name: getattr(self, name) for name in self._constraints}
        check_parameters(type(self).__name__, given, self._constraints)
        for name, value in given.items():
            plain = int(value) if isinstance(self._constraints[name], Whole) else float(value)
            object.__setattr__(self, name, plain)

    def _gram(self, a: StringPart, b: StringPart, n_threads: int) -> Floats:
        symbols, offsets = _symbols_of(a)
        others: _Symbols | tuple[None, None] = (None, None) if b is a else _symbols_of(b)
        try:
            values = _core.string_gram(
                self._form(), symbols, offsets, others[0], others[1], n_threads
            )
        except OverflowError:
            raise self._too_large() from None
        return values.reshape(len(a), len(b))

    def _diag(self, a: StringPart) -> Floats:
        try:
            return _core.string_diagonal(self._form(), *_symbols_of(a), 1)
        except OverflowError:
            raise self._too_large() from None

    def _too_large(self) -> DataError:
        return DataError(
            f"{self!r} has values too large for a floating-point number on these texts: they have "
            "too many common parts. Shorten the texts, or choose a smaller decay or length.",
            code="D165",
            column=self.column,
        )


@dataclass(frozen=True, repr=False)
class Spectrum(NativeStringKernel):
    """How many substrings of length k two texts share: Σ over them of the product of their counts.

    Parameters
    ----------
    column
        The column of texts; None (default): the only one.
    k
        The length of the substrings. Default 3.

    See Also
    --------
    Subsequence
    CommonSubstrings

    Examples
    --------
    >>> from branchline.kernels import Spectrum
    >>> Spectrum(k=2).gram(["banana", "ananas"]).tolist()
    [[9.0, 8.0], [8.0, 9.0]]
    """

    k: int = 3
    _constraints: ClassVar[Mapping[str, Constraint]] = {"k": _LENGTH}

    def _form(self) -> Any:
        return _core.StringForm(_SPECTRUM, self.k, 1.0, 0)


@dataclass(frozen=True, repr=False)
class CommonSubstrings(NativeStringKernel):
    """All pairs of equal substrings of two texts, each pair with decay ** (its length).

    Parameters
    ----------
    column
        The column of texts; None (default): the only one.
    min_length
        The length of the shortest substrings that count. Default 1.
    decay
        What a symbol of a common substring is worth: below 1 short ones decide, above 1 long ones.
        Default 1.0.

    See Also
    --------
    Spectrum : how many substrings of length k two texts share.
    Subsequence

    Examples
    --------
    >>> from branchline.kernels import CommonSubstrings
    >>> CommonSubstrings().gram(["abc", "abd"]).tolist()
    [[6.0, 3.0], [3.0, 6.0]]
    """

    min_length: int = 1
    decay: float = 1.0
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "min_length": _LENGTH,
        "decay": Real(0, _MOST_DECAY, low_open=True),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_vanishing(self, self.decay, self.min_length)

    def _form(self) -> Any:
        return _core.StringForm(_COMMON_SUBSTRINGS, self.min_length, self.decay, 0)


@dataclass(frozen=True, repr=False)
class Subsequence(NativeStringKernel):
    """All pairs of equal subsequences of one length, gaps allowed, each by decay ** (its extent).

    The extent of a subsequence reaches from its first to its last symbol, gaps included; those of
    both texts count (Lodhi et al. 2002).

    Parameters
    ----------
    column
        The column of texts; None (default): the only one.
    length
        How many symbols the subsequences have. Default 3.
    decay
        What each symbol within the extent is worth, at most 1: smaller values make gaps cost more.
        Default 0.5.

    See Also
    --------
    Spectrum : how many substrings of length k two texts share.
    CommonSubstrings

    Examples
    --------
    >>> from branchline.kernels import Subsequence
    >>> Subsequence(length=2, decay=0.5).gram(["cat", "car"]).tolist()
    [[0.140625, 0.0625], [0.0625, 0.140625]]
    """

    length: int = 3
    decay: float = 0.5
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "length": _LENGTH,
        "decay": Real(0, 1, low_open=True),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_vanishing(self, self.decay, self.length)

    def _form(self) -> Any:
        return _core.StringForm(_SUBSEQUENCE, self.length, self.decay, 0)


@dataclass(frozen=True, repr=False)
class WeightedDegree(NativeStringKernel):
    """Common substrings of 1 … degree symbols at the same places: for aligned sequences.

    A common substring of l symbols weighs 2 (degree − l + 1) / (degree (degree + 1)); one that is
    s places away in the other text weighs 1 / (2 (s + 1)) of that (Rätsch, Sonnenburg and
    Schölkopf 2005).

    Parameters
    ----------
    column
        The column of texts; None (default): the only one.
    degree
        The length of the longest substrings that count. Default 8.
    shift
        How many places apart two equal substrings may be. Default 0.

    See Also
    --------
    Spectrum : how many substrings of length k two texts share.
    Hamming : the share of columns in which two rows have the same value.

    Examples
    --------
    >>> from branchline.kernels import WeightedDegree
    >>> WeightedDegree(degree=1).gram(["gattaca", "cattaga"]).tolist()
    [[7.0, 5.0], [5.0, 7.0]]
    """

    degree: int = 8
    shift: int = 0
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "degree": _LENGTH,
        "shift": Whole(0, 1_000_000),
    }

    def _form(self) -> Any:
        return _core.StringForm(_WEIGHTED_DEGREE, self.degree, 1.0, self.shift)


def _refuse_vanishing(kernel: StringKernel, decay: float, length: int) -> None:
    """Refuse a decay that makes every value 0, or so small that it loses its digits."""
    if 2 * length * math.log(decay) >= _LEAST_LOGARITHM:
        return
    raise ParameterError(
        f"{kernel!r} would be 0 for all texts: decay ** (2 × {length}) is too small for a "
        "floating-point number. Choose a larger decay or a smaller length.",
        code="P015",
        values=[decay, length],
    )


def _symbols_of(part: StringPart) -> _Symbols:
    """Return the code points of all texts, and where each text begins (and the last one ends)."""
    texts = [text.decode("utf-8", "surrogatepass") for text in part.texts]
    offsets = np.zeros(len(texts) + 1, UNITS)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    if offsets[-1] > _MOST_SYMBOLS:
        raise DataError(
            f"The texts have {offsets[-1]} symbols in all; kernels on texts take at most "
            f"{_MOST_SYMBOLS}.",
            code="D166",
        )
    encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(encoded, "<u4").astype(CLASS_INDEX, copy=False), offsets
