"""Tables of databases: SQLite files by Python's own library, others by SQLAlchemy (or ADBC).

1. The table is the one named after a # (or by ``sheet``), or the only one.
2. After the # of an address, a text that begins with SELECT is a query.
3. A damaged or hostile SQLite file cannot write, load code or run for ever.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager

from branchline.errors import DataError
from branchline.table._table import Table
from branchline.table.files._extras import need_extra
from branchline.table.files._files import file_error
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import Source
from branchline.table.files._sql_rows import chosen_table, fetched_rows, table_of_rows

__all__ = ["is_database_address", "read_address", "read_sqlite"]

_STEPS, _MOST_CALLS = 1_000_000, 2_000  # of SQLite's machine, until a query is stopped
_NOT_DATABASES = {"http", "https", "ftp", "ftps", "s3", "gs", "az", "abfs", "file", "hdfs", "sftp"}


def read_sqlite(source: Source, options: ReadOptions) -> Table:
    """Return a table of an SQLite database."""
    try:
        with _opened(source) as connection:
            name = chosen_table(source.name, _tables(connection), source.part)
            quoted = '"' + name.replace('"', '""') + '"'
            cursor = connection.execute(f"SELECT * FROM {quoted}")
            names = [column[0] for column in cursor.description]
            rows = fetched_rows(cursor, len(names), source.name)
    except DataError:
        raise
    except (sqlite3.Error, OverflowError, UnicodeError, ValueError) as error:
        message = f"the SQLite database cannot be read ({str(error)[:100]})."
        raise file_error(source.name, message, code="F008") from None
    return table_of_rows(source.name, names, rows, options)


@contextmanager
def _opened(source: Source) -> Iterator[sqlite3.Connection]:
    """Open a copy of the database that nothing can be written to."""
    handle, path = tempfile.mkstemp(suffix=".db")
    try:
        with os.fdopen(handle, "wb") as copy:
            copy.write(source.content)
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            calls = [0]

            def has_run_too_long() -> int:
                calls[0] += 1
                return int(calls[0] > _MOST_CALLS)

            connection.set_progress_handler(has_run_too_long, _STEPS)
            connection.execute("PRAGMA trusted_schema = OFF")
            yield connection
    finally:
        os.unlink(path)


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite_%' ORDER BY type, name"
    )
    return [str(row[0]) for row in found]


# -- other databases ------------------------------------------------------------------------------


def is_database_address(path: object) -> bool:
    """Whether a path is the address of a database, such as postgresql://user@host/name#table."""
    scheme, mark, _ = str(path).partition("://")
    plain = scheme.replace("+", "").replace("_", "")
    return bool(mark) and plain.isalnum() and scheme.lower() not in _NOT_DATABASES


def read_address(path: str, options: ReadOptions) -> Table:
    """Return a table, or the rows of a query, of a database that SQLAlchemy knows."""
    sqlalchemy = need_extra("sqlalchemy", "sql", "databases")
    address, _, part = path.partition("#")
    part = options.sheet or part
    shown = address.partition("@")[2] or address  # no password in messages
    try:
        # Without a pool: a connection that was closed is not kept open for later.
        engine = sqlalchemy.create_engine(address, poolclass=sqlalchemy.pool.NullPool)
        with closing(engine.connect()) as connection:
            query = part
            if not part.lstrip().lower().startswith("select "):
                names = sqlalchemy.inspect(connection).get_table_names()
                chosen = chosen_table(shown, names, part or None)
                query = f"SELECT * FROM {engine.dialect.identifier_preparer.quote(chosen)}"
            result = connection.execute(sqlalchemy.text(query))
            columns = list(result.keys())
            rows = fetched_rows(result, len(columns), shown)
    except DataError:
        raise
    except Exception as error:  # drivers have their own errors
        why = str(error).partition("\n")[0].replace(address, shown)[:160]
        raise file_error(shown, f"the database cannot be read ({why}).", code="F105") from None
    return table_of_rows(shown, [str(name) for name in columns], rows, options)
