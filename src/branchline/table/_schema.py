"""The schema: the columns a model was learned from, applied by name to every later table.

1. Columns are found by name, in any order; a table without names (NumPy) goes by position.
2. A missing column is an error; extra columns are ignored (``extra`` lists them).
3. Category names are turned into the codes learned at fit; names not seen then get code −2.
4. A column of another kind is an error that says which values do not fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from branchline._names import made_up_names, refuse_bad_names
from branchline.errors import DataError, Repair
from branchline.table._column import FLOAT, ColumnType
from branchline.table._fit_column import _key, clock_of, codes_of_known, fit_column

if TYPE_CHECKING:
    from branchline.table._table import Table

__all__ = ["Field", "Schema", "_key", "float_schema"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column's name and type.

    See Also
    --------
    Schema : names, kinds and categories of a table's columns, in order.
    ColumnType : what a column holds and what it was before it became a column.

    Examples
    --------
    >>> from branchline import Table
    >>> [len(field.name) for field in Table({"age": [31.0], "town": ["Mons"]}).schema]
    [3, 4]
    """

    name: str
    type: ColumnType


@dataclass(frozen=True)
class Schema:
    """Names, kinds and categories of a table's columns, in order.

    Parameters
    ----------
    fields
        One entry per column.
    named
        False when the names were made up for a table that had none (x0, x1, …).

    See Also
    --------
    Table : named columns, each numeric or a category, with missing values.
    Field : a column's name and type.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> load_dataset("iris").schema.position["species"]
    4
    """

    fields: tuple[Field, ...]
    named: bool = True

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> ColumnType:
        return self.fields[self.position[name]].type

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(field.name for field in self.fields)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each name stands."""
        return {field.name: place for place, field in enumerate(self.fields)}

    @cached_property
    def holds_floats(self) -> bool:
        """Whether every column holds floats and nothing else is known of it."""
        return all(field.type == FLOAT for field in self.fields)

    @cached_property
    def takes_floats(self) -> bool:
        """Whether floats are what every column holds, however the numbers were written."""
        return all(f.type.kind == "numeric" and f.type.unit is None for f in self.fields)

    @cached_property
    def as_floats(self) -> "Schema":
        """The schema of a matrix of floats under these names."""
        if self.holds_floats:
            return self
        return Schema(tuple(Field(field.name, FLOAT) for field in self.fields), self.named)

    @cached_property
    def codes_of_cells(self) -> tuple[dict[tuple[type, Any], int] | None, ...]:
        """Of each category column, the codes of the names it knows; None for numbers."""
        return tuple(codes_of_known(field) for field in self.fields)

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes up the schema; the rest is worked out anew."""
        return {"fields": self.fields, "named": self.named}

    def apply(self, table: "Table") -> "Table":
        """Return ``table`` with exactly this schema's columns, in its order and codes."""
        from branchline.table._table import Table

        if table.schema == self:
            return table
        if not (self.named and table.schema.named):
            table = self._by_position(table)
        self.refuse_absent(table)
        if self._has_same_numbers(table):
            return table
        columns = [fit_column(field, table.column(field.name)) for field in self.fields]
        return Table.from_columns(columns, named=self.named)

    def extra(self, table: "Table") -> tuple[str, ...]:
        """Return the names of ``table``'s columns that this schema does not know."""
        if not (self.named and table.schema.named):
            return ()
        return tuple(name for name in table.names if name not in self.position)

    def _by_position(self, table: "Table") -> "Table":
        if table.n_columns == len(self):
            return table.with_names(self.names, named=self.named)
        raise DataError(
            f"X has {table.n_columns} features, but Branchline is expecting {len(self)} features "
            "as input. Without names columns are matched by position, so the number must agree.",
            code="D010",
        )

    def refuse_absent(self, table: "Table") -> None:
        """Refuse a table with names that lacks a column of the schema."""
        present = set(table.names)
        absent = [name for name in self.names if name not in present]
        if not absent:
            return
        # Only names the model does not know may be meant; and only for a few: every name against
        # every other would take minutes for a wide table.
        renames = _renames(absent[:8], self.extra(table))
        listed = ", ".join(repr(name) for name in absent[:8])
        more = "" if len(absent) <= 8 else f" and {len(absent) - 8} more"
        meant = ", ".join(f"{name!r} for {given!r}" for given, name in renames.items())
        raise DataError(
            f"The table lacks {len(absent)} of the {len(self)} columns the model was fitted on: "
            f"{listed}{more}." + (f" Names must agree exactly: write {meant}." if meant else ""),
            code="D011",
            column=absent[0],
            repair=Repair(
                f"X = X.rename(columns={renames!r})" if renames else None,
                f"rename in the file: {meant}" if meant else None,
            ),
        )

    def _has_same_numbers(self, table: "Table") -> bool:
        """Whether the table can be used as it stands: numeric only, same names, same order."""
        return table.names == self.names and all(
            mine.type.kind == "numeric" == other.type.kind and clock_of(mine) == clock_of(other)
            for mine, other in zip(self.fields, table.schema.fields, strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the schema as plain data."""
        from branchline.table._schema_json import schema_to_json

        return schema_to_json(self)

    @staticmethod
    def from_json(data: Any) -> "Schema":
        """Rebuild a schema from plain data, refusing anything that is not one."""
        from branchline.table._schema_json import schema_from_json

        return schema_from_json(data)


# Names that are less alike are two names: "steps" is not "temp".
_ALIKE = 0.75


def _renames(absent: Sequence[str], spare: Sequence[str]) -> dict[str, str]:
    """Return which columns of a table are probably meant by absent ones: AGE or "age " by age."""
    plain = {_plain(name): name for name in reversed(spare)}
    found: dict[str, str] = {}
    for name in absent:
        left = [other for other in spare if other not in found]
        same = plain.get(_plain(name))
        near = [same] if same in left else get_close_matches(name, left, n=1, cutoff=_ALIKE)
        if near and near[0] is not None:
            found[near[0]] = name
    return found


def _plain(name: str) -> str:
    """Return a name without capitals, blanks and marks."""
    return "".join(character for character in name.casefold() if character.isalnum()) or name


def float_schema(n_columns: int, names: Sequence[str] | None) -> Schema:
    """Return the schema of a matrix of floats; without ``names`` they are made up."""
    if names is None:
        return _unnamed_floats(n_columns)
    refuse_bad_names(names, n_columns)
    return Schema(tuple(Field(name, FLOAT) for name in names), named=True)


@lru_cache(maxsize=4)
def _unnamed_floats(n_columns: int) -> Schema:
    """Return a schema of made-up names, which hashed texts have hundreds of thousands of."""
    return Schema(tuple(Field(name, FLOAT) for name in made_up_names(n_columns)), named=False)
