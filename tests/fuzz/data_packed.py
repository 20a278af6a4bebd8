"""Small sound files of the formats that are packed, nested or made by other libraries."""

import bz2
import io
import json
import lzma
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["PACKED_BINARY", "PACKED_FILES", "change_inside", "edit_json"]

Files: TypeAlias = dict[str, bytes]

RECORDS = [
    {"a": 1, "b": 0.5, "c": "red", "d": True, "e": "31/12/2020", "f": {"g": "9%"}},
    {"a": None, "b": 1e3, "c": "blue", "d": False, "e": "01/02/2021", "f": {"g": "10%"}},
    {"a": 2**60 + 1, "b": -1, "c": None, "d": None, "e": None, "f": {"g": None}},
]
MESSY = (
    "Sales report\n\nregion;paid;rate;day;wait;ok;n\n"
    'N;"$1,126.50";9%;31/12/2024;1:23:45;Yes;1 234\n'
    "S;$5;10.5 %;01/02/2025;0:10:00;no;12 500\n"
    "E;(3.25);3%;12/03/2025;12:00:00;YES;7\n"
    "Total;1128.25;;;;;13741\n"
)
ORANGE = (
    "age\tsize\tname\tseen\tclass\n"
    "continuous\tlow\\ risk high\tstring\ttime\td\n\t\tmeta\t\tclass\n"
    "31\thigh\tAnn\t2020-01-02\tyes\n?\tlow risk\tBob\t2021-01-02\tno\n"
)
MARKED = "C#age\tD#size\ti#junk\tcD#class\n31\t1\t5\tyes\n32\t2\t6\tno\n"


def _json() -> list[Files]:
    lines = "\n".join(json.dumps(row) for row in RECORDS)
    columns = json.dumps({"a": [1, 2, None], "b": ["x", "y", "z"]})
    return [{"t.json": json.dumps(RECORDS).encode()}, {"t.jsonl": lines.encode()}, {
        "t.json": columns.encode()
    }]  # fmt: skip


def _messy() -> list[Files]:
    return [{"t.csv": MESSY.encode()}, {"t.csv": MESSY.replace(";", "\t").encode()}]


def _orange() -> list[Files]:
    return [{"t.tab": ORANGE.encode()}, {"t.tab": MARKED.encode()}]


def _zip(content: bytes, name: str = "t.csv") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


def _packed() -> list[Files]:
    content = MESSY.encode()
    made = [
        {"t.csv.bz2": bz2.compress(content)},
        {"t.csv.xz": lzma.compress(content)},
        {"t.zip": _zip(content)},
    ]
    if find_spec("zstandard"):
        import zstandard

        made.append({"t.csv.zst": zstandard.ZstdCompressor().compress(content)})
    return made


def _sqlite() -> list[Files]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (a INTEGER, b REAL, c TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(1, 0.5, "x"), (None, 2, "$5")])
        connection.commit()
        connection.close()
        return [{"t.db": path.read_bytes()}]


def _excel() -> list[Files]:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["a", "b", "c"], [1, "x", "$5"], [2.5, "y", "$1,200"], [None, "z", None]):
        book.active.append(row)
    made = io.BytesIO()
    book.save(made)
    return [{"t.xlsx": made.getvalue()}]


def _stats() -> list[Files]:
    import pandas
    import pyreadstat

    frame = pandas.DataFrame({"a": [1.0, None, 3.5], "b": ["x", "y", ""], "c": [1.0, 2.0, 1.0]})
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, write in (("sav", "write_sav"), ("dta", "write_dta"), ("xpt", "write_xport")):
            path = Path(folder) / f"t.{ending}"
            getattr(pyreadstat, write)(frame, path)
            made.append({path.name: path.read_bytes()})
    return made


PACKED_FILES: dict[str, Callable[[], list[Files]]] = {
    "json": _json,
    "messy": _messy,
    "orange": _orange,
    "packed": _packed,
    "sqlite": _sqlite,
}
if find_spec("python_calamine") and find_spec("openpyxl"):
    PACKED_FILES["excel"] = _excel
if find_spec("pyreadstat"):
    PACKED_FILES["stats"] = _stats
PACKED_BINARY = frozenset(("packed", "sqlite", "excel", "stats"))


def change_inside(
    rng: Any, name: str, content: bytes, change: Callable[[bytes], bytes]
) -> bytes | None:
    """Return a sound container of changed content; None for files that contain nothing."""
    if name.endswith((".zip", ".xlsx")):
        return _repacked(rng, content, change)
    if name.endswith(".bz2"):
        return bz2.compress(change(bz2.decompress(content)))
    if name.endswith(".xz"):
        return lzma.compress(change(lzma.decompress(content)))
    return None


def _repacked(rng: Any, content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return a zip archive with one of its files changed, its sums right again."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == chosen else old.read(name))
    return made.getvalue()


def edit_json(rng: Any, content: bytes, words: Sequence[str]) -> bytes:
    """Return JSON of which some values are odd texts, numbers or structures."""
    odd = [None, True, -1, 2**70, 1e308, [], {}, [1], {"x": {"y": 1}}, *words]
    lines = content.decode().split("\n")
    for _ in range(rng.choice((1, 2, 4))):
        place = rng.randrange(len(lines))
        lines[place] = json.dumps(_with_odd(rng, json.loads(lines[place]), odd))
    return "\n".join(lines).encode()


def _with_odd(rng: Any, value: Any, odd: list[Any]) -> Any:
    if isinstance(value, dict) and value:
        name = rng.choice(list(value))
        return {**value, name: _with_odd(rng, value[name], odd)}
    if isinstance(value, list) and value:
        place = rng.randrange(len(value))
        return [*value[:place], _with_odd(rng, value[place], odd), *value[place + 1 :]]
    return rng.choice(odd)
