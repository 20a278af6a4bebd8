"""A look as text for a terminal, 100 places wide or as wide as asked for.

1. A headline, then one line per column: name, kind, missing cells, distinct values, values.
2. Where the width is short, names, kinds and the counts of missing cells give way to the values.
3. The remarks follow, column by column; a topic that many columns share is said once.
"""

from collections import Counter

from branchline._drawing import SPARK_PLACES, spark_text
from branchline._plain_numbers import count
from branchline.table.looking._look import ColumnLook, Look
from branchline.table.looking._look_words import clean, pad, percent, shorten, width, wrap

__all__ = ["headline", "more_columns", "remarks", "to_text", "values_words"]

_NARROWEST = 60
_LONGEST_NAME = 28
_SHORTEST_NAME, _SHORTEST_KIND, _SHORTEST_VALUES = 12, 8, 16
_VALUES_BESIDE_SHAPES = 24  # places; with fewer, values are worth more than shapes
_MOST_COLUMNS = 60
_MOST_ALIKE = 4
_FEW_SHARE = {"near_unique", "identifier"}
_HEADINGS = ("column", "kind", "missing", "distinct", "lowest – median – highest, or most frequent")
_SHARED_REMEDIES = {  # of Python, of the command line
    "converted": (
        "kinds={NAME: 'category'} keeps the texts",
        "--kind NAME=category keeps the texts",
    ),
    "marks": ("kinds={NAME: 'category'} keeps the texts", "--kind NAME=category keeps the texts"),
    "ambiguous": ("kinds={NAME: …} decides", "--kind NAME=… decides"),
    "words_for_missing": ("missing=[…] in read_table or Table", "--missing TEXT"),
}
_SHARED = {
    "empty": "Every cell is missing",
    "converted": "Converted from text",
    "marks": "Some texts count as missing",
    "ambiguous": "Can be read in two ways",
    "tells_target": "Tells the target almost alone: was it known before the outcome?",
    "target_missing": "Some rows have no target",
    "target_constant": "The target has one value only",
    "target_names": "The target has very many classes",
    "target_rare": "Some classes are rare",
    "constant": "Always the same value",
    "mostly_missing": "More than half of the cells are missing",
    "infinite": "Some cells are infinite; learners refuse that",
    "duplicate": "The same as an earlier column",
    "identifier": "Looks like an identifier",
    "almost_constant": "At least 99 % of the values are the same",
    "outlier": "The lowest or highest value lies far out",
    "moments": "Learners see it as the number of days since 1970",
    "numbers_as_text": "Numbers, or nearly so, written as text",
    "written_as_text": "Amounts, percentages, dates or times written as text: treated as names",
    "dates_as_text": "Dates written as text: turn them into dates to keep their order",
    "near_unique": "Few rows share a category",
    "too_many": "Learners pool the rarest categories",
    "lookalikes": "Some categories differ only in capitals or blanks",
    "rare": "Half of the categories or more occur only once",
    "words_for_missing": "Some categories may mean missing",
    "blanks": "Some values begin or end with blanks",
    "unused": "Some declared categories do not occur",
}


def to_text(
    look: Look,
    most: int = 100,
    n_columns: int | None = _MOST_COLUMNS,
    *,
    command_line: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return the look as lines of at most ``most`` places, which are 60 or more."""
    most = max(_NARROWEST, most)
    lines = wrap(headline(look), most)
    if look.target is not None:
        lines += wrap(f"target {clean(look.target)}: {look.target_words}", most)
    shown = look.columns[:n_columns]
    lines += ["", *_grid(shown, most, ascii_only=ascii_only)]
    if len(look.columns) > len(shown):
        more = f"… and {more_columns(len(look.columns) - len(shown))}"
        lines += wrap(f"{more} ({'--all' if command_line else 'to_text(columns=None)'})", most)
    found = remarks(look, command_line=command_line)
    if found:
        lines += ["", "Worth a second look", *_remark_lines(found, most)]
    return "\n".join(line.rstrip() for line in lines)


def headline(look: Look) -> str:
    """Return the table's shape and what is missing, in one line."""
    kinds = Counter(column.kind for column in look.columns)
    n_cells = look.n_rows * look.n_columns
    missing = percent(look.n_missing / n_cells) if look.n_missing else "nothing"
    parts = [
        f"{count(look.n_rows, 'row')} × {count(look.n_columns, 'column')}",
        ", ".join(f"{n_alike:,} {kind}" for kind, n_alike in sorted(kinds.items(), reverse=True)),
        f"{missing} missing",
    ]
    if look.n_missing:
        complete = look.n_rows - look.n_incomplete_rows
        parts.append(count(complete, "complete row"))
    return " · ".join(parts)


def more_columns(n_columns: int) -> str:
    """Return how many columns are not shown."""
    return count(n_columns, "more column")


def values_words(column: ColumnLook, most: int) -> str:
    """Return the values of a column in at most ``most`` places."""
    if column.low is not None and column.n_distinct == 1:
        return shorten(column.low, most)
    if column.low is not None and (column.all_different or not column.frequent):
        if "−" in column.low or "−" in str(column.median):  # a dash beside a minus is hard to read
            return shorten(f"{column.low} to {column.high}, median {column.median}", most)
        return shorten(f"{column.low} – {column.median} – {column.high}", most)
    if column.all_different or any(note.topic in _FEW_SHARE for note in column.notes):
        return shorten("e.g. " + "; ".join(name for name, _ in column.frequent), most)
    words = ""
    for place, (name, share) in enumerate(column.frequent):
        more = ", …" if column.n_distinct > place + 1 else ""
        rest = f": {percent(share)}"
        piece = shorten(name, max(4, min(24, most - width(rest + more)))) + rest
        longer = f"{words}, {piece}" if words else piece
        if words and width(longer + more) > most:
            return words + ", …"
        words = longer
    return words + (", …" if column.n_distinct > len(column.frequent) else "")


def remarks(look: Look, *, command_line: bool = False) -> list[tuple[str, str]]:
    """Return pairs of a subject and a sentence; topics of many columns are gathered."""
    found = [("whole table", note.words(command_line=command_line)) for note in look.notes]
    counts = Counter(note.topic for column in look.columns for note in column.notes)
    gathered: set[str] = set()
    for column in look.columns:
        for note in column.notes:
            if counts[note.topic] <= _MOST_ALIKE:
                found.append((clean(column.name), note.words(command_line=command_line)))
            elif note.topic not in gathered:
                gathered.add(note.topic)
                text = _gather(look, note.topic, command_line)
                found.append((f"{counts[note.topic]:,} columns", text))
    return found


def _gather(look: Look, topic: str, command_line: bool) -> str:
    names = [c.name for c in look.columns if any(note.topic == topic for note in c.notes)]
    shown = ", ".join(shorten(clean(name), _LONGEST_NAME) for name in names[:8])
    remedy = _SHARED_REMEDIES.get(topic)
    how = "" if remedy is None else f" ({remedy[command_line]})"
    return f"{_SHARED[topic]}{how}: {shown}{', …' if len(names) > 8 else '.'}"


def _grid(columns: tuple[ColumnLook, ...], most: int, *, ascii_only: bool = False) -> list[str]:
    rows = [
        [shorten(clean(c.name), _LONGEST_NAME), c.words, _missing_words(c), f"{c.n_distinct:,}"]
        for c in columns
    ]
    places = _places(rows)
    if _left(places, most) < _SHORTEST_VALUES:
        for row, column in zip(rows, columns, strict=True):
            row[2] = percent(column.missing_share) if column.n_missing else "0"
        places = _places(rows)
    for at, shortest in ((0, _SHORTEST_NAME), (1, _SHORTEST_KIND)):
        too_wide = max(0, _SHORTEST_VALUES - _left(places, most))
        places[at] = min(places[at], max(shortest, places[at] - too_wide))
    left = max(1, _left(places, most))
    sparks = [spark_text(column.shape, ascii_only=ascii_only) for column in columns]
    has_shapes = any(sparks) and left - SPARK_PLACES - 2 >= _VALUES_BESIDE_SHAPES
    if has_shapes:
        left -= SPARK_PLACES + 2
    heads = [*_HEADINGS[:4], shorten(_HEADINGS[4], left)]
    lines = [_line(heads, places, "shape" if has_shapes else None)]
    rule = "─" * SPARK_PLACES if has_shapes else None
    lines.append(_line(["─" * place for place in [*places, left]], places, rule))
    for row, column, spark in zip(rows, columns, sparks, strict=True):
        cells = [*row, values_words(column, left)]
        lines.append(_line(cells, places, spark if has_shapes else None))
    return lines


def _missing_words(column: ColumnLook) -> str:
    if not column.n_missing:
        return "0"
    return f"{column.n_missing:,} ({percent(column.missing_share)})"


def _places(rows: list[list[str]]) -> list[int]:
    return [max(map(width, cells)) for cells in zip(_HEADINGS[:4], *rows, strict=True)]


def _left(places: list[int], most: int) -> int:
    """Return how many places are left for the values, two blanks after each other cell."""
    return most - sum(places) - 2 * len(places)


def _line(cells: list[str], places: list[int], shape: str | None) -> str:
    name, kind, missing, distinct, values = cells
    return "  ".join(
        [
            pad(shorten(name, places[0]), places[0]),
            pad(shorten(kind, places[1]), places[1]),
            pad(missing, places[2], right=True),
            pad(distinct, places[3], right=True),
            *([] if shape is None else [shape.ljust(SPARK_PLACES)]),
            values,
        ]
    )


def _remark_lines(found: list[tuple[str, str]], most: int) -> list[str]:
    longest = min(_LONGEST_NAME, most // 3)
    subjects = [shorten(subject, longest) for subject, _ in found]
    place = max(map(width, subjects))
    lines, last = [], ""
    for subject, (_, text) in zip(subjects, found, strict=True):
        wrapped = wrap(text, most - place - 4)
        lines.append(f"  {pad('' if subject == last else subject, place)}  {wrapped[0]}")
        last = subject
        lines.extend(" " * (place + 4) + line for line in wrapped[1:])
    return lines
