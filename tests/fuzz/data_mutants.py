"""Small sound data files of every format, and how they are damaged."""

import gzip
import io
import random
from collections.abc import Callable
from typing import TypeAlias

import polars as pl

from fuzz.data_packed import PACKED_BINARY, PACKED_FILES, change_inside, edit_json
from fuzz.mutate_bytes import damage

__all__ = ["FILES", "Files", "mutate"]

Files: TypeAlias = dict[str, bytes]

ROWS = [
    ("a", "b", "c", "d", "e"),
    ("1", "0.5", "red", "true", "2020-01-31"),
    ("-2", "1e3", "blue, light", "false", "2021-12-01"),
    ("", "?", 'said "no"', "", "NA"),
    ("4", "-.25", "été", "true", "2019-02-28"),
    ("5", "7", "red", "true", "2020-02-29"),
]
ARFF = """% a comment
@relation 'small table'
@attribute a numeric
@attribute 'b c' {yes, no, 'not known'}
@attribute c string
@attribute d date "yyyy-MM-dd"
@attribute e real
@data
1, yes, 'some text', "2020-01-31", 0.5
?, 'not known', ?, ?, 1e9, {2}
3, no, x, 2021-02-03, -1
"""
SPARSE = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n{0 1.5, 1 y}\n{}\n{1 x}\n"
NAMES = (
    "| a comment\nyes, no.\n\na: continuous.\nb: red, green, blue.\nc: ignore.\nd: discrete 3.\n"
)
DATA = "1, red, x, p, yes.\n2.5, green, y, q, no.\n?, blue, z, ?, yes.\n"
LIBSVM = "+1 1:0.5 3:1 7:-2e3 # comment\n-1 2:1\n1 1:1 2:0.25\n0\n"
RANKED = "2 qid:1 1:0.5 3:1\n1 qid:1 2:1\n0 qid:7 1:1 2:0.25 # comment\n"
NASTY = (
    "", "?", "NA", '"', "'", "''", '""', ",", ";", "\t", " ", "\0", "\r", "\n", "\r\n", "%", "@",
    "{", "}", "{0 1", "-", "+", ".", "1e999", "-1e999", "nan", "inf", "9" * 30, "9" * 400, "0x10",
    "1_000", "1,5", "$1,234", "(5)", "9%", "1.234,5", "31/12/2024", "02/01/2024", "1:23:45", "2h",
    "99:99:99", "yes", "Non", "PT5M", "Total", "12 Jan 2024", "1 234", "€", "#", "[{", "null",
    "true", "False", "2020-02-30", "2020-13-01", "99999-01-01", "0000-00-00", "2020-01-01T25:00",
    "2020-01-01T00:00:00.123456789Z", "2020-01-01 00:00+99:99", "\ufeff", "\u2028", "\ud7ff", "😀",
    "é" * 50, "a" * 70_000, "@data", "@attribute", "@attribute x {", "@attribute x date 'QQ'",
    "@attribute x relational", "@end x", "continuous", "discrete 0", "discrete 99999999", "ignore",
    "|", ":", "x:", ":1", "1:", "0:1", "-1:1", "1:1 1:1", "9999999999:1", "2147483647:1", "qid:",
    "1:nan", "1:1e999", "#", "\\", "\\u12", "\\'", "=1+1",
)  # fmt: skip


# -- sound files --------------------------------------------------------------------------------


def _delimited(mark: str) -> bytes:
    return "".join(mark.join(map(_quoted, row)) + "\n" for row in ROWS).encode()


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set('",; ') else cell


def _csv() -> list[Files]:
    windows = _delimited(";").replace(b"\n", b"\r\n").decode().encode("cp1252")
    bare = b"1 2 3\n4 5 6\n7 8 9\n"
    return [{"t.csv": c} for c in (_delimited(","), windows, bare, b"a\n1\n", b"a,b,c\n")] + [
        {"t.txt": _delimited(",").decode().encode("utf-16")}
    ]


def _tsv() -> list[Files]:
    return [{"t.tsv": _delimited("\t")}, {"t.tab": _delimited("\t").replace(b"\n", b"\r")}]


def _arff() -> list[Files]:
    return [{"t.arff": ARFF.encode()}, {"t.arff": SPARSE.encode()}]


def _c45() -> list[Files]:
    return [{"t.data": DATA.encode(), "t.names": NAMES.encode()}]


def _libsvm() -> list[Files]:
    return [{"t.libsvm": LIBSVM.encode()}, {"t.txt": LIBSVM.encode()}, {"t.svm": RANKED.encode()}]


def _frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "a": [1, None, 3],
            "b": [0.5, float("nan"), None],
            "c": ["x", "y", None],
            "d": [True, None, False],
            "e": pl.Series(["2020-01-31", None, "2021-02-03"]).str.to_date(),
            "f": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
        }
    )


def _parquet() -> list[Files]:
    made = []
    for compression in ("uncompressed", "zstd", "snappy"):
        out = io.BytesIO()
        _frame().write_parquet(out, compression=compression)
        made.append({"t.parquet": out.getvalue()})
    return made


def _arrow() -> list[Files]:
    file, stream = io.BytesIO(), io.BytesIO()
    _frame().write_ipc(file)
    _frame().write_ipc_stream(stream)
    return [{"t.arrow": file.getvalue()}, {"t.feather": stream.getvalue()}]


def _gzip() -> list[Files]:
    plain = [*_csv()[:2], *_arff(), *_libsvm()]
    return [
        {f"{name}.gz": gzip.compress(content, mtime=0)}
        for files in plain
        for name, content in files.items()
    ]


FILES: dict[str, Callable[[], list[Files]]] = {
    "csv": _csv,
    "tsv": _tsv,
    "arff": _arff,
    "c45": _c45,
    "libsvm": _libsvm,
    "parquet": _parquet,
    "arrow": _arrow,
    "gzip": _gzip,
    **PACKED_FILES,
}
BINARY = frozenset(("parquet", "arrow")) | PACKED_BINARY


# -- damage -------------------------------------------------------------------------------------


def mutate(rng: random.Random, kind: str, corpus: dict[str, list[Files]]) -> Files:
    """Return a damaged file of that kind (C4.5: a pair)."""
    files = dict(rng.choice(corpus[kind]))
    name = rng.choice(list(files))
    others = [content for each in corpus[kind] for content in each.values()]
    inside = kind == "gzip" and rng.random() < 0.6
    content = gzip.decompress(files[name]) if inside else files[name]
    changed = _change_inside(rng, kind, name, content, others) if rng.random() < 0.6 else None
    if changed is not None:
        files[name] = changed
        return files
    if kind in BINARY or (kind == "gzip" and not inside) or rng.random() < 0.3:
        content = damage(rng, content, others)
    else:
        content = _edit_text(rng, content)
    files[name] = gzip.compress(content, mtime=0) if inside else content
    if kind == "c45" and rng.random() < 0.05:
        del files[name]
    return files


def _change_inside(
    rng: random.Random, kind: str, name: str, content: bytes, others: list[bytes]
) -> bytes | None:
    """Change what a container holds, or what JSON says, and leave its form sound."""
    if kind == "json":
        return edit_json(rng, content, NASTY)
    if kind == "excel":
        return change_inside(rng, name, content, lambda part: damage(rng, part, others))
    if kind == "packed":
        return change_inside(rng, name, content, lambda part: _edit_text(rng, part))
    return None


def _edit_text(rng: random.Random, content: bytes) -> bytes:
    text = content.decode("utf-16" if content.startswith(b"\xff\xfe") else "utf-8", "replace")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice((_change_cell, _change_cell, _put_in, _lines, _marks))(rng, text)
    encodings = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252")
    return text.encode(rng.choice(encodings), "replace")


def _change_cell(rng: random.Random, text: str) -> str:
    """Put something odd in place of what stands between two marks."""
    marks = [i for i, letter in enumerate(text) if letter in ",;\t\n :"] or [0]
    begin = rng.choice(marks)
    end = min((mark for mark in marks if mark > begin), default=len(text))
    return text[: begin + 1] + rng.choice(NASTY) + text[end:]


def _put_in(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(NASTY) + text[place:]


def _lines(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    how = rng.randrange(5)
    if how == 0:
        del lines[place]
    elif how == 1:
        lines[place:place] = [lines[place]] * rng.choice((1, 300))
    elif how == 2:
        rng.shuffle(lines)
    elif how == 3:
        lines.insert(place, rng.choice(NASTY))
    else:
        lines[place] = lines[place] * rng.choice((2, 50))
    return "\n".join(lines)


def _marks(rng: random.Random, text: str) -> str:
    old, new = rng.choice((",", "\n", '"', "'", " ", ":", "{", ".")), rng.choice(NASTY[:24])
    return text.replace(old, new, rng.choice((1, -1)))
