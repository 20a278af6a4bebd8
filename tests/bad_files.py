"""Files that people really have, as bytes: each with what ``compare FILE --target y`` must do."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import polars as pl

__all__ = ["CASES", "Case"]

WORKS = ""
WORKBOOK = "F008" if find_spec("python_calamine") else "X001"


@dataclass(frozen=True)
class Case:
    """A file, what it is called, and the code of the error; no code when it should work."""

    what: str
    content: bytes | Callable[[], bytes]
    code: str = WORKS
    name: str = "table.csv"
    options: tuple[str, ...] = ()

    @property
    def bytes(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content()


def rows(*lines: str, copies: int = 1, end: str = "\n") -> bytes:
    head, *rest = lines
    return end.join([head, *rest * copies, ""]).encode()


GOOD = rows("x,z,y", "1,a,yes", "2,b,no", "3,a,yes", "4,b,no", "5,a,yes", "6,c,no", copies=4)


def frame() -> pl.DataFrame:
    return pl.DataFrame({"x": [1, 2, 3, 4] * 5, "y": ["a", "b", "a", "b"] * 5})


def parquet() -> bytes:
    file = io.BytesIO()
    frame().write_parquet(file)
    return file.getvalue()


def arrow() -> bytes:
    file = io.BytesIO()
    frame().write_ipc(file)
    return file.getvalue()


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, GOOD)
    return file.getvalue()


def many_columns() -> bytes:
    names = ",".join(f"c{number}" for number in range(3000))
    cells = ",".join("1" for _ in range(3000))
    others = ",".join("2" for _ in range(3000))
    lines = [f"{cells},yes", f"{others},no"] * 4
    return rows(f"{names},y", *lines)


def png() -> bytes:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + bytes(13)
    return head + zlib.compress(bytes(range(256)) * 20)


def damaged(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(40) + content[middle + 40 :]


EMPTY = (
    Case("nothing", b"", "F004"),
    Case("a newline only", b"\n", "F004"),
    Case("blanks only", b"   \n \t \n   \n", "F004"),
    Case("a byte order mark only", b"\xef\xbb\xbf", "F004"),
    Case("a header only", b"x,z,y\n", "D"),
    Case("a header without an end", b"x,z,y", "D"),
    Case("gzip of nothing", gzip.compress(b""), "F004", "table.csv.gz"),
    Case("delimiters only", b",,\n,,\n,,\n", "D"),
    Case("comments only", b"# x\n# y\n", "D"),
)
SHAPES = (
    Case("one column, the target", rows("y", "yes", "no", copies=5), "D002"),
    Case("one row", rows("x,y", "1,yes"), "D137"),
    Case("two rows, one of each class", rows("x,y", "1,yes", "2,no"), "D137"),
    Case("three rows", rows("x,y", "1,yes", "2,no", "3,no"), WORKS),
    Case("rows that are too short", rows("x,z,y", "1,a,yes", "2,no", "3,a,yes"), "F010"),
    Case("rows that are too long", rows("x,y", "1,yes", "2,no,9,9", "3,yes"), "F010"),
    Case("three thousand columns", many_columns, WORKS),
    Case("names that occur twice", rows("x,x,y", "1,2,yes", "2,1,no", copies=6), WORKS),
    Case("a column without a name", rows("x,,y", "1,2,yes", "2,1,no", copies=6), WORKS),
    Case("no header", rows("1,2,3", "4,5,6", "7,8,9", copies=3), "D003"),
    Case("data and no rows of the class", rows("x,y", "1,", "2,", "3,", copies=4), "D"),
    Case("a row that occurs again and again", rows("x,y", "1,a", "1,b", copies=20), WORKS),
)
TEXTS = (
    Case("UTF-16", GOOD.decode().encode("utf-16"), WORKS),
    Case("UTF-16 without a mark", GOOD.decode().encode("utf-16-le"), "F"),
    Case("UTF-8 with a mark", b"\xef\xbb\xbf" + GOOD, WORKS),
    Case("Latin-1", rows("größe,y", "1,ja", "2,nein", copies=6).decode().encode("latin-1"), WORKS),
    Case("NUL bytes", GOOD.replace(b"3,a", b"3,\0"), "F"),
    Case("a quote that stays open", rows('x,"z,y', "1,a,yes", "2,b,no"), "F011"),
    Case("a quote that opens late", rows("x,y", "1,yes", '2,"no', "3,yes"), "F011"),
    Case("a quote inside a cell", rows("x,y", '5" pipe,yes', '6" pipe,no', copies=6), WORKS),
    Case("carriage returns only", GOOD.replace(b"\n", b"\r"), WORKS),
    Case("ends of lines of Windows", GOOD.replace(b"\n", b"\r\n"), WORKS),
    Case("semicolons and decimal commas", rows("x;y", "1,5;ja", "2,5;nein", copies=6), WORKS),
    Case("both decimal marks", rows("x;y", "1,5;ja", "2.5;nein", copies=6), WORKS),
    Case("thousands with marks", rows("x,y", '"1,500",a', '"2,500",b', copies=6), WORKS),
    Case("formula cells", rows("x,y", "=A1+1,yes", "=SUM(B:B),no", copies=6), WORKS),
    Case("errors of a spreadsheet", rows("x,y", "#DIV/0!,a", "#N/A,b", "3,a", copies=6), WORKS),
    Case("a cell of a million characters", rows("x,y", "a" * 10**6 + ",p", "b,q", copies=3), WORKS),
    Case("emoji and right-to-left names", rows("😀,שלום,y", "1,א,yes", "2,ב,no", copies=6), WORKS),
    Case(
        "names with quotes and newlines", rows('"a ""b""\nc",y', "1,yes", "2,no", copies=6), WORKS
    ),
    Case("names with markup", rows("<script>x</script>,y", "1,yes", "2,no", copies=6), WORKS),
    Case("broken characters", GOOD.replace(b"3,a", b"3,\xff\xfe\xfa"), WORKS),
)
VALUES = (
    Case("all cells missing", rows("x,z,y", ",,", ",,", copies=4), "D"),
    Case("all inputs missing", rows("x,z,y", ",,a", ",,b", copies=6), WORKS),
    Case("a constant target", rows("x,y", "1,yes", "2,yes", copies=6), "D137"),
    Case("a target with holes", rows("x,y", "1,yes", "2,", "3,no", copies=6), "D"),
    Case("a target without a value", rows("x,y", "1,", "2,", copies=6), "D"),
    Case("a target of different texts", rows("x,y", *(f"{n},t{n}" for n in range(20))), "D137"),
    Case("dates only", rows("x,y", "2024-01-01,2024-02-01", "2024-03-01,2024-05-01"), "K022"),
    Case("huge whole numbers", rows("x,y", f"{10**30},a", f"{10**31},b", copies=6), WORKS),
    Case("words for infinity", rows("x,y", "inf,a", "-inf,b", "nan,a", "1,b", copies=6), "D"),
    Case("a target of infinities", rows("x,y", "1,inf", "2,3.5", "4,7.5", copies=6), "D"),
    Case("numbers at the limits", rows("x,y", "1e308,1.5", "-1e308,2.5", "1e-320,3.5", copies=6)),
    Case("a constant column", rows("x,z,y", "1,2,a", "1,3,b", copies=6), WORKS),
    Case(
        "an id and a target that is the id", rows("x,y", *(f"a{n},a{n}" for n in range(12))), "D137"
    ),
    Case("a rare class", rows("x,y", *(f"{n},a" for n in range(20)), "5,b"), WORKS),
    Case("numbers with units", rows("x,y", "5 kg,a", "6 kg,b", copies=6), WORKS),
)
FORMATS = (
    Case("random bytes", bytes(range(256)) * 8, "F"),
    Case("gzip that was cut", gzip.compress(GOOD)[:-20], "F007", "table.csv.gz"),
    Case("gzip with a changed middle", damaged(gzip.compress(GOOD * 50)), "F007", "table.csv.gz"),
    Case("gzip under the name of a text", gzip.compress(GOOD), WORKS),
    Case("a Parquet file", parquet, WORKS, "table.parquet"),
    Case("a Parquet file that was cut", lambda: parquet()[:-30], "F008", "table.parquet"),
    Case("an Arrow file that was cut", lambda: arrow()[:60], "F008", "table.arrow"),
    Case("text under the name of Parquet", GOOD, WORKS, "table.parquet"),
    Case("a zip archive", lambda: zipped("table.csv"), WORKS, "table.zip"),
    Case("a workbook", lambda: zipped("[Content_Types].xml", "xl/s.xml"), WORKBOOK, "table.xlsx"),
    Case(
        "an old workbook", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), WORKBOOK, "table.xls"
    ),
    Case("JSON", json.dumps([{"x": 1, "y": "a"}] * 9).encode(), "D137", "table.json"),
    Case("lines of JSON", b'{"x": 1, "y": "a"}\n' * 9, "D137", "table.jsonl"),
    Case("JSON of lists", b'[{"x": [1], "y": "a"}]', "F104", "table.json"),
    Case("a web page", b"<!DOCTYPE html><html><body>404</body></html>", "F009"),
    Case("XML", b'<?xml version="1.0"?><r><x>1</x></r>', "F009", "table.xml"),
    Case("a picture", png, "F", "table.png"),
    Case("a PDF document", b"%PDF-1.7\n" + bytes(200), "F009", "table.pdf"),
    Case("a database", b"SQLite format 3\0" + bytes(200), "F", "table.db"),
    Case("ARFF without data", b"@relation r\n@attribute y {a,b}\n", "F", "table.arff"),
    Case("ARFF of another type", b"@relation r\n@attribute x blob\n@data\n1\n", "F", "table.arff"),
    Case("half of a C4.5 pair", b"yes, no.\nx: continuous.\n", "F", "table.names"),
)
OPTIONS = (
    Case("a target that is not there", GOOD, "D003", options=("--target", "Y")),
    Case("a group that is not there", GOOD, "D003", options=("--group", "town")),
    Case("a time that is not there", GOOD, "D003", options=("--time-column", "when")),
    Case("a time that is a name", GOOD, "K021", options=("--time-column", "z")),
    Case("a column to drop that is not there", GOOD, "D003", options=("--drop", "w")),
    Case("the target dropped", GOOD, "D003", options=("--drop", "y")),
    Case("all inputs dropped", GOOD, "D002", options=("--drop", "x", "--id", "z")),
    Case("a kind for no column", GOOD, "D003", options=("--kind", "w=category")),
    Case("numbers asked of names", GOOD, "K002", options=("--kind", "z=numeric")),
    Case("a name as a number", GOOD, "K012", options=("--task", "regression")),
    Case("more folds than rows", GOOD, "D090", options=("--folds", "100")),
    Case("one group", rows("g,x,y", "1,2,a", "1,3,b", copies=6), "D090", options=("--group", "g")),
)
CASES = (*EMPTY, *SHAPES, *TEXTS, *VALUES, *FORMATS, *OPTIONS)
