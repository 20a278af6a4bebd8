"""The Python that reads a file as the command line did, for the report's "To repeat it"."""

from typing import Any

from branchline.cli._options import parse_kinds
from branchline.cli._reading import Reading

__all__ = ["python_reading"]


def python_reading(path: str, reading: Reading, target: str) -> str:
    """Return lines of Python after which ``table`` holds the rows that the command read.

    Examples
    --------
    >>> from branchline.cli._python_reading import python_reading
    >>> from branchline.cli._reading import Reading
    >>> python_reading("a.csv", Reading(missing=("-",), default_missing=False), "y")
    "table = read_table('a.csv', missing=['', '-'])"
    """
    texts: dict[str, Any] = {
        "kinds": parse_kinds(reading.kind),
        "drop": [*reading.drop, *reading.ids],
        "missing": list(reading.missing_texts() or ()),
        "delimiter": reading.delimiter,
        "header": reading.header,
        "decimal": reading.decimal,
        "encoding": reading.encoding,
        "format": reading.format,
        "sheet": reading.sheet,
        "skip": reading.skip,
        "totals": reading.totals or None,
    }
    given = [f"{name}={value!r}" for name, value in texts.items() if value not in (None, [], {})]
    lines = [f"table = read_table({', '.join([repr(path), *given])})"]
    if reading.known_only:
        lines.append(f"table = table.rows(~table.column({target!r}).is_missing)")
    return "\n".join(lines)
