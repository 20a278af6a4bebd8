"""Tables of databases by ADBC drivers (Arrow Database Connectivity).

1. ``adbc+sqlite:///sales.db#orders`` names the driver after the plus: the library
   ``adbc_driver_sqlite``. What follows is the address as that driver expects it.
2. After the #, a table is named, or a query stands that begins with SELECT.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from branchline.errors import DataError, MissingExtra, Repair
from branchline.table._table import Table
from branchline.table.files._extras import need_extra
from branchline.table.files._files import file_error
from branchline.table.files._options import ReadOptions
from branchline.table.files._sql_rows import chosen_table, fetched_rows, table_of_rows

__all__ = ["is_adbc_address", "read_adbc"]

_BEGIN = "adbc+"
_USUAL_SCHEMAS = {"", "public", "main"}
_OF_THE_DATABASE = {"pg_catalog", "information_schema"}


def is_adbc_address(path: str) -> bool:
    """Whether a path is the address of a database that an ADBC driver reads."""
    driver, mark, _ = path.removeprefix(_BEGIN).partition("://")
    return path.startswith(_BEGIN) and bool(mark) and driver.isidentifier()


def read_adbc(path: str, options: ReadOptions) -> Table:
    """Return a table, or the rows of a query, of a database."""
    address, _, part = path.removeprefix(_BEGIN).partition("#")
    part = options.sheet or part
    scheme, _, place = address.partition("://")
    shown = f"{_BEGIN}{scheme}://{place.rpartition('@')[2]}"  # no password in messages
    driver = _driver(scheme)
    try:
        with closing(driver.connect(_for_driver(address))) as connection:
            query = part
            if not part.lstrip().lower().startswith("select "):
                name = chosen_table(shown, list(_tables(connection)), part or None)
                query = f"SELECT * FROM {_quoted(name)}"
            with closing(connection.cursor()) as cursor:
                cursor.execute(query)
                names = [str(column[0]) for column in cursor.description]
                rows = fetched_rows(cursor, len(names), shown)
    except DataError:
        raise
    except Exception as error:  # drivers have their own errors
        why = str(error).partition("\n")[0].replace(address, shown)[:160]
        raise file_error(shown, f"the database cannot be read ({why}).", code="F105") from None
    return table_of_rows(shown, names, rows, options)


def _driver(name: str) -> Any:
    """Return the driver's library; where it is not installed, say how it is."""
    try:
        return need_extra(f"adbc_driver_{name}.dbapi", "adbc", f"{name} databases by ADBC")
    except MissingExtra as error:
        if name in {"sqlite", "postgresql"}:
            raise
        command = f"pip install adbc-driver-{name.replace('_', '-')} pyarrow"
        raise MissingExtra(
            error.message, code=error.code, repair=Repair(command, command)
        ) from error


def _for_driver(address: str) -> str:
    """Return the address as its driver expects it: SQLite takes the path of a file."""
    scheme, _, rest = address.partition("://")
    return rest.removeprefix("/") if scheme in {"sqlite", "duckdb"} else address


def _tables(connection: Any) -> Iterator[str]:
    """Yield the names of the tables and views; those of a schema have its name before a point."""
    catalogs = connection.adbc_get_objects(depth="tables").read_all().to_pylist()
    schemas = [schema for catalog in catalogs for schema in catalog["catalog_db_schemas"] or ()]
    for schema in schemas:
        name = schema["db_schema_name"] or ""
        tables = [] if name in _OF_THE_DATABASE else schema["db_schema_tables"] or []
        front = "" if name in _USUAL_SCHEMAS else f"{name}."
        yield from (front + table["table_name"] for table in tables)


def _quoted(name: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in name.split(".", 1))
