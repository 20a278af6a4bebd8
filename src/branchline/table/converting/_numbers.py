"""Numbers written for people: money, percentages, thousands, decimal commas.

1. A text is a sign, a unit ($, €, USD, %), digits with marks, a unit again; brackets mean minus.
2. Thousands are grouped by the other mark, a blank or an apostrophe, always in threes (in twos
   before the last three, as in India).
3. All units of a column must agree; with %, all cells must have it.
4. Both decimal marks may fit only where each number has one mark and three digits after it: 1,234
   or 1.234. The file then decides (``prefer``), or nothing does and the column is ambiguous.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

from branchline.table.converting._written import Written

if TYPE_CHECKING:
    import polars as pl

__all__ = ["UNITS", "detect_number", "has_digit", "look_like_numbers", "read_number", "usual_way"]

UNITS = (
    "US$", "A$", "C$", "R$", "HK$", "NZ$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "₪", "฿",
    "₫", "₱", "¢", "%", "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "CZK", "HUF", "INR", "CNY", "RUB", "BRL", "ZAR", "MXN", "TRY", "kr.", "kr", "zł", "Kč",
    "Ft", "Fr.", "lei", "руб.", "руб",
)  # fmt: skip
_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_BLANKS = " \u00a0\u202f\u2009'’"
_OTHER = {".": ",", ",": "."}
_AMBIGUOUS = r"^[1-9][0-9]{0,2}[.,][0-9]{3}$"
_SCIENTIFIC = r"^[+-]?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+$"
_MOST_DIGITS = 15  # which a float holds exactly


@cache
def _pattern(mark: str) -> str:
    other = _OTHER[mark]
    grouped = (
        rf"[1-9][0-9]{{0,2}}(?:\{other}[0-9]{{3}})+"
        rf"|[1-9][0-9]?(?:\{other}[0-9]{{2}})+\{other}[0-9]{{3}}"
        rf"|[1-9][0-9]{{0,2}}(?:[{_BLANKS}][0-9]{{3}})+"
    )
    body = rf"(?:{grouped}|[0-9]+)(?:\{mark}[0-9]*)?|\{mark}[0-9]+"
    return (
        rf"^(?P<open>\()?(?P<sign1>[+-]?)\s?(?P<unit1>{_UNIT})?\s?(?P<sign2>[+-]?)"
        rf"(?P<body>{body})\s?(?P<unit2>{_UNIT})?(?P<sign3>-?)(?P<close>\))?$"
    )


def _fits(mark: str, text: str) -> bool:
    plain = text.replace("−", "-").replace("–", "-")
    return re.match(_pattern(mark), plain) is not None


def has_digit(texts: "pl.Series") -> bool:
    """Whether each of the texts has a digit."""
    return bool(texts.str.contains("[0-9]").all())


def look_like_numbers(texts: "pl.Series") -> "pl.Series":
    """Return for each text whether it is a number, with either decimal mark and any unit."""
    plain = texts.str.replace_all("[−–]", "-").str.strip_chars()
    scientific = plain.str.contains(_SCIENTIFIC)
    return scientific | plain.str.contains(_pattern(".")) | plain.str.contains(_pattern(","))


def read_number(texts: "pl.Series", written: Written) -> "pl.Series":
    """Return numbers, null for texts that are not written so."""
    import polars as pl

    mark = written.mark or "."
    parts = _parts(texts, mark)
    units = parts.select(pl.coalesce("unit1", "unit2")).to_series()
    fits = parts["body"].is_not_null() & (parts["open"].is_null() == parts["close"].is_null())
    fits &= parts["unit1"].is_null() | parts["unit2"].is_null()
    if written.unit is not None:
        fits &= (units == written.unit).fill_null(written.unit != "%")
    digits = parts["body"].str.replace_all(rf"[{_BLANKS}\{_OTHER[mark]}]", "")
    plain = digits.str.replace(mark, ".", literal=True)
    values = plain.set(~fits, None).cast(pl.Float64, strict=False)
    minus = parts["open"].is_not_null()
    for sign in ("sign1", "sign2", "sign3"):
        minus ^= (parts[sign] == "-").fill_null(False)
    values = values * (1 - 2 * minus.cast(pl.Int8))
    return _whole_where_possible(values, plain)


def _parts(texts: "pl.Series", mark: str) -> "pl.DataFrame":
    import polars as pl

    plain = texts.str.replace_all("[−–]", "-").str.strip_chars()
    parts = plain.str.extract_groups(_pattern(mark)).struct.unnest()
    return parts.with_columns(pl.col(pl.String).replace("", None))


def _whole_where_possible(values: "pl.Series", texts: "pl.Series") -> "pl.Series":
    """Return integers where every number is written without decimals."""
    import polars as pl

    written = texts.drop_nulls()
    whole = not written.str.contains(".", literal=True).any()
    if whole and len(written) and int(written.str.len_chars().max() or 0) <= _MOST_DIGITS:  # type: ignore[arg-type]
        return values.cast(pl.Int64)
    return values


def detect_number(texts: "pl.Series", prefer: str) -> Written | tuple[Written, Written] | None:
    """Return how numbers are written, the two ways that both fit, or None.

    Parameters
    ----------
    texts
        Distinct texts, none of them null.
    prefer
        The decimal mark of the rest of the file, when texts do not decide.
    """
    if not any(_fits(mark, texts[0].strip()) for mark in ".,"):
        return None  # most texts are not numbers, and this is quick
    unit = _common_unit(texts)
    if unit == "":
        return None
    suffix = f" {unit}" if unit else ""
    fits = [
        written
        for mark in (prefer, _OTHER[prefer])
        if not read_number(texts, written := Written("number", mark + suffix)).null_count()
    ]
    if not fits or _may_be_codes(texts, unit):
        return None
    return fits[0] if len(fits) == 1 else _decide(texts, fits[0], fits[1])


def usual_way(texts: "pl.Series", prefer: str) -> Written:
    """Return how most of the texts that are numbers are written: their mark and their unit."""
    best, n_best = Written("number", prefer), -1
    for mark in (prefer, _OTHER[prefer]):
        parts = _parts(texts, mark)
        fits = parts.filter(parts["body"].is_not_null())
        units = fits["unit1"].fill_null(fits["unit2"]).drop_nulls()
        if len(fits) > n_best:
            unit = f" {units.mode().sort()[0]}" if len(units) else ""
            best, n_best = Written("number", mark + unit), len(fits)
    return best


def _common_unit(texts: "pl.Series") -> str | None:
    """Return the unit that all texts share, None for none, "" when they do not agree."""
    import polars as pl

    found: set[str | None] = set()
    for mark in ".,":
        parts = _parts(texts, mark)
        matched = parts.filter(pl.col("body").is_not_null())
        found |= set(matched.select(pl.coalesce("unit1", "unit2")).to_series().to_list())
    units = found - {None}
    if len(units) > 1 or ("%" in units and None in found):
        return ""
    return next(iter(units), None)


def _may_be_codes(texts: "pl.Series", unit: str | None) -> bool:
    """Whether groups of three separated by blanks are all alike, as in numbers of accounts."""
    grouped = texts.str.contains(rf"[0-9][{_BLANKS}][0-9]")
    if unit is not None or not grouped.all() or texts.str.contains("[.,]").any():
        return False
    return texts.str.replace_all("[^0-9]", "").str.len_chars().n_unique() == 1


def _decide(
    texts: "pl.Series", first: Written, second: Written
) -> "Written | tuple[Written, Written]":
    """Choose between two marks that both fit; ``first`` has the preferred one."""
    bodies = _parts(texts, first.mark or ".")["body"]
    if not bodies.str.contains("[.,]").any():
        return first
    seen = "," if bodies.str.contains(",", literal=True).any() else "."
    if not bodies.filter(bodies.str.contains("[.,]")).str.contains(_AMBIGUOUS).all():
        return first
    by_mark = {first.mark: first, second.mark: second}
    if first.unit == "%":
        return by_mark[seen]  # thousands of percent are not written with a mark
    if first.mark != seen:
        return first  # the file's mark is the other one, so this one groups thousands
    return (first, second) if first.unit else first
