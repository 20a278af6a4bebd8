"""Numbers as people read them: the one place that writes them for terminal, tree, report and look.

1. Thousands are grouped (``18,900``), digits without meaning are left out (``0.85``), and a minus
   is a minus (``−3``), not a hyphen. Only very large and very small numbers have a power of ten
   (``1.2 × 10⁻⁹``).
2. A share is 0 % or 100 % only when it is exactly that; else ``< 1 %`` and ``> 99 %``.
3. A count has its noun in the singular or the plural: ``1 leaf``, ``2,000 leaves``.

Machines read JSON instead: what is written here is never parsed again.
"""

import math
from collections.abc import Sequence

__all__ = [
    "alike",
    "cell",
    "cells",
    "count",
    "data_size",
    "duration",
    "fine_percent",
    "fixed",
    "interval",
    "joined",
    "noun",
    "number",
    "percent",
    "probability",
    "rounded",
    "signed",
    "without_noise",
]

_MINUS = "−"
_UNKNOWN = "–"
_NO_BREAK = "\xa0"  # a blank at which no line and no column is broken
_SMALLEST, _LARGEST = -5, 15  # powers of ten between which a number is written out
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NOISE = 1e-12  # what sums of floats leave over where the result is 0
_PLURALS = {"leaf": "leaves", "branch": "branches", "class": "classes", "index": "indices"}
_SINGULARS = {many: one for one, many in _PLURALS.items()}


def number(value: float | None, digits: int = 4) -> str:
    r"""Return a number with about ``digits`` digits; its whole part always keeps all of its own.

    Examples
    --------
    >>> from branchline._plain_numbers import number
    >>> [number(18931.4), number(0.850001), number(-2.5), number(1.234e-9)]
    ['18,931', '0.85', '−2.5', '1.234\xa0×\xa010⁻⁹']
    """
    value = math.nan if value is None else float(value)
    if not math.isfinite(value):
        return _not_finite(value)
    size = _size(value, digits)
    if not _SMALLEST <= size < _LARGEST:
        return _with_power(value, digits)
    text = f"{value:,.{max(0, digits - 1 - size)}f}"
    return _minus(text.rstrip("0").rstrip(".") if "." in text else text)


def cell(value: float, digits: int = 6) -> str:
    """Return a value of the data. Thousands are grouped from 10,000 on: 1912 may be a year."""
    text = number(value, digits)
    return text.replace(",", "") if abs(value) < 9999.5 else text


def cells(values: Sequence[float], digits: int = 6) -> list[str]:
    """Return values of the data that stand together: thousands are grouped in all, or in none.

    Examples
    --------
    >>> from branchline._plain_numbers import cells
    >>> cells([-4000.0, 99999.0]), cells([1912, 1998])
    (['−4,000', '99,999'], ['1912', '1998'])
    """
    is_grouped = any(math.isfinite(value) and abs(value) >= 9999.5 for value in values)
    return [number(value, digits) if is_grouped else cell(value, digits) for value in values]


def rounded(value: float, digits: int = 3) -> str:
    """Return a number rounded to ``digits`` significant digits, followed by zeros: 18,900."""
    value = float(value)
    is_written_out = math.isfinite(value) and abs(value) < 10.0**_LARGEST
    return number(float(f"{value:.{digits - 1}e}") if is_written_out else value, digits)


def signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign: +0.02, −1.5, 0."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and text != "0" else text


def fixed(value: float, decimals: int = 3) -> str:
    """Return a number with exactly ``decimals`` decimals, as in the columns of a table."""
    value = float(value)
    if not math.isfinite(value):
        return _not_finite(value)
    if abs(value) >= 10.0**_LARGEST:
        return _with_power(value, 4)
    return _minus(f"{value:,.{decimals}f}")


def alike(values: Sequence[float]) -> list[str]:
    """Return numbers that stand together, such as a score and its interval, in one style.

    The largest has four digits, the others as many decimals or zeros as it has; around one there
    are three decimals.

    Examples
    --------
    >>> from branchline._plain_numbers import alike
    >>> alike([0.85, 0.8234, 0.8]), alike([22360.897, 21050.2, 23671.1])
    (['0.850', '0.823', '0.800'], ['22,360', '21,050', '23,670'])
    """
    sizes = [abs(float(value)) for value in values if math.isfinite(value)]
    largest = max(sizes, default=0.0)
    if largest and not 10.0**_SMALLEST <= largest < 10.0**_LARGEST:
        return [number(value) for value in values]
    if largest == 0 or 0.05 <= largest < 10:
        return [fixed(value, 3) for value in values]
    decimals = 3 - _size(largest, 4)
    return [fixed(round(value, decimals) + 0.0, max(0, decimals)) for value in values]


def interval(estimate: float, low: float, high: float) -> str:
    """Return an estimate with the ends of its interval: 0.85 becomes ``0.850 (0.812 to 0.882)``."""
    if not math.isfinite(estimate):
        return _not_finite(estimate)
    middle, first, last = alike([estimate, low, high])
    return f"{middle} ({first} to {last})"


def percent(share: float, *, fine: bool = False, decimals: int = 0) -> str:
    """Return a share in per cent; only nothing is 0 %, only all is 100 %.

    ``fine`` gives small and large shares one decimal: 0.4 %, 99.6 %. ``decimals`` are for columns
    of a table.
    """
    if not math.isfinite(share):
        return _not_finite(share)
    if share in {0.0, 1.0} or not 0 < share < 1:
        return f"{fixed(100 * share, decimals)} %"
    decimals = max(decimals, 1 if fine and not 0.1 <= share < 0.99 else 0)
    text, step = f"{100 * share:.{decimals}f}", f"{10.0**-decimals:.{decimals}f}"
    if float(text) == 0:
        return f"< {step} %"
    return f"> {100 - float(step):.{decimals}f} %" if float(text) == 100 else f"{text} %"


def fine_percent(share: float) -> str:
    """Return a share in per cent, small and large ones with one decimal: 0.4 %, 12 %, 99.6 %."""
    return percent(share, fine=True)


def probability(share: float) -> str:
    """Return a probability in per cent; never 0 or 100 %, which no data can show."""
    if not math.isfinite(share):
        return _UNKNOWN
    return percent(min(max(float(share), 1e-9), 1 - 1e-9))


def count(how_many: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun: 1 leaf, 2,000 leaves, 2.5 rows.

    ``one`` may also be a plural, as units are stored: ``count(1, "leaves")`` is ``1 leaf``.
    """
    return f"{number(how_many)} {noun(how_many, one, many)}"


def noun(how_many: float, one: str, many: str | None = None) -> str:
    """Return a noun in the singular for one, else in the plural."""
    single = _singular(one) if many is None else one
    return single if how_many == 1 else many or _plural(single)


def joined(names: Sequence[str], most: int = 6, *, last: str = "and") -> str:
    """Return names as a list inside a sentence: ``a, b and c``, ``a, b and 3 more``."""
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} {last} {len(names) - most:,} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def duration(seconds: float) -> str:
    """Return a time that something took, in the unit that suits it: 12 ms, 3.4 s, 5 min, 2.1 h."""
    if not math.isfinite(seconds):
        return _UNKNOWN
    for size, unit in ((1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h")):
        most = 100 if unit in {"s", "min"} else 1000
        if seconds < most * size or unit == "h":
            return f"{rounded(seconds / size, 2)} {unit}"
    raise AssertionError("hours have no limit")


def data_size(n_bytes: float) -> str:
    """Return a number of bytes in the unit that suits it: 820 B, 12 kB, 3.4 MB, 2.1 GB.

    Examples
    --------
    >>> from branchline._plain_numbers import data_size
    >>> [data_size(820), data_size(12_300), data_size(3_420_000), data_size(2.06e9)]
    ['820 B', '12 kB', '3.4 MB', '2.1 GB']
    """
    if not math.isfinite(n_bytes):
        return _UNKNOWN
    for size, unit in ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")):
        if n_bytes < 999.5 * size or unit == "GB":
            return f"{rounded(n_bytes / size, 2 if n_bytes < 99.5 * size else 3)} {unit}"
    raise AssertionError


def without_noise(value: float, scale: float = 1.0) -> float:
    """Return 0 for a value that is only rounding error next to numbers of size ``scale``."""
    return 0.0 if abs(value) <= _NOISE * abs(scale) else float(value)


def _size(value: float, digits: int) -> int:
    """Return the power of ten of a number's first digit, after it is rounded."""
    return int(f"{value:.{max(0, digits - 1)}e}".partition("e")[2])


def _with_power(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    first, _, power = f"{value:.{digits - 1}e}".partition("e")
    first = first.rstrip("0").rstrip(".") if "." in first else first
    power_words = str(int(power)).translate(_SUPERSCRIPTS)
    return f"{_minus(first)}{_NO_BREAK}×{_NO_BREAK}10{power_words}"


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return _UNKNOWN
    return "∞" if value > 0 else f"{_MINUS}∞"


def _minus(text: str) -> str:
    """Return a number's text with a true minus; nothing is negative zero."""
    if not text.startswith("-"):
        return text
    is_zero = not any(letter in "123456789" for letter in text)
    return text[1:] if is_zero else _MINUS + text[1:]


def _singular(word: str) -> str:
    if word in _SINGULARS or not word.endswith("s") or word.endswith("ss"):
        return _SINGULARS.get(word, word)
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return _PLURALS.get(word, word[:-1] + "ies")
    return _PLURALS.get(word, word + "s")
