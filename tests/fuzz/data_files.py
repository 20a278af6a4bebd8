"""Damaged data files: ``read_table`` gives a table, or an error that says what is wrong.

Mutants of small files of every format that is read: bytes flipped, put in, taken out, files cut
short and spliced; in text also cells, lines, quotes and encodings changed; compression inside and
outside; parts of workbooks.
Some are read with options, or as another format than they are.

``python -m fuzz.data_files --mutants 5000 --seed 1``, from the folder ``tests``.
"""

import os
import random
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import branchline
from branchline import Schema, Table
from branchline.errors import BranchlineWarning, DataError, KindError
from fuzz.data_mutants import FILES, Files, mutate
from fuzz.harness import Campaign, main

__all__ = ["CAMPAIGN", "attempt", "mutant"]

BUDGET = 2**28
OPTIONS: tuple[dict[str, Any], ...] = (
    {"delimiter": ";"}, {"delimiter": " "}, {"delimiter": "\t"}, {"header": True},
    {"header": False}, {"decimal": ","}, {"encoding": "utf-8"}, {"encoding": "cp1252"},
    {"encoding": "utf-16"}, {"encoding": "no such"}, {"missing": ()}, {"missing": ("1", "a")},
    {"kinds": {"a": "numeric"}}, {"kinds": {"a": "category", "b": "category"}}, {"drop": "a"},
    {"skip": 1}, {"skip": 0}, {"totals": True}, {"sheet": "t"}, {"kinds": {"a": "number:,"}},
    {"kinds": {"a": "date:%d/%m/%Y"}}, {"kinds": {"a": "duration"}}, {"kinds": {"a": "boolean"}},
    *({"format": name} for name in ("csv", "arff", "c45", "libsvm", "parquet", "arrow", "json")),
    {"format": "sqlite"},
)  # fmt: skip


@cache
def corpus() -> dict[str, list[Files]]:
    """Return the sound files, by format; nothing larger than a budget may be read."""
    os.environ["BRANCHLINE_MEMORY"] = str(BUDGET)
    return {kind: make() for kind, make in FILES.items()}


def mutant(seed: int, number: int) -> tuple[Files, dict[str, Any]]:
    """Return the mutant of that number: files by name (the first is read) and options."""
    rng = random.Random(f"{seed}:{number}")
    files = mutate(rng, CAMPAIGN.kind_of(number), corpus())
    return files, rng.choice(OPTIONS) if rng.random() < 0.25 else {}


def attempt(seed: int, number: int) -> str:
    """Read a mutant and, if there is a table, look at all of it."""
    files, options = mutant(seed, number)
    for name, content in files.items():
        Path(name).write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        try:
            table = branchline.read_table(next(iter(files)), **options)
        except (DataError, KindError) as error:
            str(error).encode("utf-8", "surrogatepass")
            return "refused"
        finally:
            for name in files:
                Path(name).unlink()
        _look_at(table)
    return "usable"


def _look_at(table: Table) -> None:
    assert isinstance(table, Table)
    assert len(set(table.names)) == table.n_columns
    repr(table)
    for column in table.columns[:50]:
        assert len(column.to_list()) == table.n_rows
        if column.kind == "numeric":
            assert column.numbers().dtype.kind == "f"
        else:
            assert column.values.dtype == "int32"
            assert (column.values >= -1).all()
            assert (column.values < len(column.categories)).all()
    assert Schema.from_json(table.schema.to_json()) == table.schema


CAMPAIGN = Campaign("fuzz.data_files", ("branchline.table",), tuple(FILES), attempt, corpus)

if __name__ == "__main__":
    main(CAMPAIGN)
