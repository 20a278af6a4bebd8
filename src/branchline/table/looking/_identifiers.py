"""Which columns only name rows: identifiers, names, free text, phone numbers, time stamps.

A model can learn such a column by heart, and learns nothing for new rows. The rules are careful: a
measurement of which all values differ (a price, a weight, a population) is not an identifier.

1. Categories: at least 90 % of the values differ. Names, codes, messages and sequences are alike
   here: no row shares its value with another.
2. Whole numbers, all different: those that count the rows (consecutive, or with few gaps, in any
   order), those whose column is called an identifier, and long codes that all have the same number
   of digits.
3. Moments, all different, to the second: a stamp of the row. Days, and moments at equal steps (a
   time series), are not.
4. Small tables prove little: fewer than 20 values must all differ, fewer than 10 prove nothing.
5. Rows that repeat an earlier row are left out: where every row is there twice, so is its name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline.table._column import Column
from branchline.table._table import Table
from branchline.table.looking._look_facts import Facts, collect_facts, row_hashes
from branchline.table.looking._look_words import quoted
from branchline.table.looking._look_written import written_as_text
from branchline.table.looking._time_series import has_equal_steps

__all__ = ["DistinctRows", "Finding", "find_identifier", "likely_identifiers"]

_FEWEST, _FEW = 10, 20
_ENOUGH_DISTINCT = 0.9
_LEAST_DISTINCT = 0.1  # with up to ten copies of each row
_FEWEST_CONSECUTIVE, _FEWEST_DENSE, _LEAST_DENSITY = 50, 100, 0.5
_FEWEST_DIGITS = 9
_SAMPLE = 1000
_LONG_TEXT, _MANY_WORDS, _SEQUENCE = 40, 5, 20
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORDS = re.compile(r"[\W_]+")
_PHONE = re.compile(r"\+?[0-9 ()./-]{7,20}")
_IDENTIFIER_WORDS = set(
    re.findall(
        r"\w+",
        "id ids identifier uuid guid serial phone telephone tel mobile fax ssn ean isbn iban imei "
        "vin passport kennung matricule rownum rowid",
    )
)
_LAST_WORDS = {"no", "nr", "number", "num", "code", "key", "nummer", "numero"}
_WHOLE_NAMES = {"index", "idx", "row", "rownames", "record"}
_TIME_WORDS = set(
    re.findall(
        r"\w+",
        "year yr month week day hour minute second time date age rank jahr annee period quarter",
    )
)
_FIRST_YEAR, _LAST_YEAR, _MOST_YEARS = 1000, 3000, 500


@dataclass(frozen=True, slots=True)
class Finding:
    """A column that only names rows.

    Parameters
    ----------
    name
        The column's name.
    reason
        Why, as the end of a sentence: "1,307 different texts in 1,309 values".
    topic
        "counter", "code", "name", "phone", "text", "stamp" or "written" (numbers or dates written
        as text, which can be converted).
    """

    name: str
    reason: str
    topic: str


def likely_identifiers(table: Table, target: str | None = None) -> tuple[Finding, ...]:
    """Return the columns that probably only name rows, in the order of the table.

    Parameters
    ----------
    table
        The table, with or without its target.
    target
        A column that is not judged.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.table.looking import likely_identifiers
    >>> [found.name for found in likely_identifiers(load_dataset("titanic"), "survived")]
    ['name']
    """
    once = DistinctRows(table)
    found = (
        find_identifier(collect_facts(column), once)
        for name in table.names
        if name != target and _may_be_one(column := table.column(name))
    )
    return tuple(finding for finding in found if finding is not None)


class DistinctRows:
    """Which rows of a table are the first of their kind; found out when first asked."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @cached_property
    def first(self) -> AnyArray | None:
        """A mask of the rows that repeat no earlier row; None when no row does."""
        mixed = row_hashes(self._table)
        _, first = np.unique(mixed, return_index=True)
        if len(first) == len(mixed):
            return None
        mask = np.zeros(len(mixed), dtype=bool)
        mask[first] = True
        return mask

    def differ_without(self, name: str) -> bool:
        """Whether most of the distinct rows differ in other columns than ``name``, too.

        Else they differ by that column alone, and rows that repeat are not copies of a case.
        """
        if self.first is None or self._table.n_columns < 2:
            return False
        rest = row_hashes(self._table.rows(self.first).drop(name))
        return 2 * len(np.unique(rest)) >= len(rest)


def find_identifier(facts: Facts, once: DistinctRows | None = None) -> Finding | None:
    """Return why a column only names rows; None when it probably does not.

    Parameters
    ----------
    facts
        What was counted in the column.
    once
        The distinct rows of its table, where copies are to be left out.
    """
    if facts.n_present < _FEWEST or facts.n_infinite:
        return None
    if _differ_enough(facts):
        return _judge(facts)(facts)
    if once is None or facts.n_distinct < _LEAST_DISTINCT * facts.n_present or once.first is None:
        return None
    alone = collect_facts(facts.column.take(once.first))
    found = find_identifier(alone) if alone.n_present < facts.n_present else None
    return found if found is not None and once.differ_without(facts.name) else None


def _differ_enough(facts: Facts) -> bool:
    least = 1.0 if facts.n_present < _FEW else _ENOUGH_DISTINCT
    return facts.n_distinct >= least * facts.n_present


def _judge(facts: Facts) -> "Callable[[Facts], Finding | None]":
    if facts.is_category:
        return _texts
    return _moments if facts.column.type.is_time else _whole_numbers


def _may_be_one(column: Column) -> bool:
    """Whether a sample of the column could be of an identifier; spares sorting all others."""
    head = column.take(slice(_SAMPLE))
    if column.kind == "category":
        return True
    values = head.values[~head.is_missing]
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        return False
    return len(np.unique(values)) >= _LEAST_DISTINCT * len(values)


# -- categories -----------------------------------------------------------------------------------


def _texts(facts: Facts) -> Finding | None:
    if facts.column.type.source in {"boolean", "ordered"}:
        return None
    texts = [str(name).strip() for name in facts.names]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    many = f"{facts.n_distinct:,} different values in {facts.n_present:,}"
    if facts.n_distinct == facts.n_present:
        many = f"{facts.n_present:,} values, all different"
    if written_as_text(facts) is not None and not _are_phones(facts, sample):
        return Finding(facts.name, f"numbers or dates written as text; {many}", "written")
    if _are_phones(facts, sample):
        return Finding(facts.name, f"phone numbers or codes; {many}", "phone")
    if _is_prose(sample):
        return Finding(facts.name, f"free text; {many}, such as {quoted(sample[0])}", "text")
    return Finding(facts.name, f"{many}, such as {quoted(sample[0])}", "name")


def _are_phones(facts: Facts, sample: list[str]) -> bool:
    called = _words_of(facts.name) & _IDENTIFIER_WORDS
    digits = [re.sub(r"\D", "", text) for text in sample]
    alike = all(_PHONE.fullmatch(text) for text in sample)
    long = all(_FEWEST_DIGITS <= len(text) <= 15 for text in digits)
    return alike and (bool(called) or long)


def _is_prose(sample: list[str]) -> bool:
    """Whether the typical text is long or has many words, or is a sequence of a few letters."""
    lengths = sorted(map(len, sample))
    n_words = sorted(len(text.split()) for text in sample)
    middle = len(sample) // 2
    if lengths[middle] >= _LONG_TEXT or n_words[middle] >= _MANY_WORDS:
        return True
    return lengths[middle] >= _SEQUENCE and len(set("".join(sample).casefold())) <= 8


# -- whole numbers --------------------------------------------------------------------------------


def _whole_numbers(facts: Facts) -> Finding | None:
    values = facts.values
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        return None
    if facts.column.type.written is not None:  # amounts and percentages measure something
        return None
    called = _is_called_identifier(facts.name)
    named = Finding(facts.name, _named(facts), "code") if called else None
    if facts.n_distinct < facts.n_present or _words_of(facts.name) & _TIME_WORDS:
        return named
    return _counter(facts) or named or _code(facts)


def _named(facts: Facts) -> str:
    if facts.n_distinct == facts.n_present:
        return f"the name says so, and its {facts.n_present:,} whole numbers are all different"
    return (
        f"the name says so, and {facts.n_distinct:,} of its {facts.n_present:,} whole numbers are "
        "different"
    )


def _counter(facts: Facts) -> Finding | None:
    """Notice whole numbers that count the rows."""
    low, high, n_values = int(facts.value(0)), int(facts.value(-1)), facts.n_present
    consecutive = high - low == n_values - 1
    sure = low in {0, 1} or _is_called_identifier(facts.name)
    reason = None
    if consecutive and (sure or (n_values >= _FEWEST_CONSECUTIVE and not _years(facts))):
        reason = "consecutive whole numbers, all different"
    elif n_values >= _FEWEST_DENSE and not _years(facts):
        # As many measurements as close together would not all be different.
        dense = n_values >= _LEAST_DENSITY * (high - low + 1)
        reason = "whole numbers with few gaps, all different" if dense else None
    return None if reason is None else Finding(facts.name, reason, "counter")


def _code(facts: Facts) -> Finding | None:
    """Notice long whole numbers of one length, such as phone and account numbers."""
    low, high = int(facts.value(0)), int(facts.value(-1))
    n_digits = len(str(abs(low)))
    if low <= 0 or facts.n_present < _FEW or n_digits != len(str(high)):
        return None
    if n_digits < _FEWEST_DIGITS or _are_round(facts.values):
        return None
    return Finding(facts.name, f"codes of {n_digits} digits, all different", "code")


def _are_round(values: AnyArray) -> bool:
    """Whether most numbers end in 000, as amounts do and codes do not."""
    return bool(2 * np.count_nonzero(values % 1000 == 0) > len(values))


def _years(facts: Facts) -> bool:
    low, high = int(facts.value(0)), int(facts.value(-1))
    return low >= _FIRST_YEAR and high <= _LAST_YEAR and high - low <= _MOST_YEARS


def _words_of(name: str) -> frozenset[str]:
    return frozenset(_NOT_WORDS.split(_CAMEL.sub(" ", name).casefold()))


def _is_called_identifier(name: str) -> bool:
    words = [word for word in _NOT_WORDS.split(_CAMEL.sub(" ", name).casefold()) if word]
    if not words:
        return False
    if words[0] in _WHOLE_NAMES and len(words) == 1:
        return True
    return bool(_IDENTIFIER_WORDS & set(words)) or (len(words) > 1 and words[-1] in _LAST_WORDS)


# -- moments --------------------------------------------------------------------------------------


def _moments(facts: Facts) -> Finding | None:
    """Notice moments to the second of which no two are equal and which do not tick evenly."""
    kind = facts.column.type
    if kind.source != "datetime" or kind.unit is None or facts.n_distinct < facts.n_present:
        return None
    seconds = facts.values.astype(f"datetime64[{kind.unit}]").astype("datetime64[us]")
    within_minute: Any = seconds.astype(np.int64) % 60_000_000
    if facts.n_present < _FEW or has_equal_steps(facts.values):
        return None
    if 2 * np.count_nonzero(within_minute) < facts.n_present:
        return None
    reason = f"moments to the second; {facts.n_present:,} values, all different"
    return Finding(facts.name, reason, "stamp")
