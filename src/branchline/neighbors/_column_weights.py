"""The weight of each column in the distance.

"relevance": with r the share of the target's variance that the column explains by itself (a number
in eight bins of about equal size, missing values as one more), beyond what chance would, its weight
is √(r + 1/50), divided by the largest. Nearness in columns that tell nothing then hides less.
"tuned": from there, held-out rows are predicted by their ten nearest; each column's weight is
dropped, halved or doubled when that makes the error smaller (``_tuning``).
A mapping: weights by column name, 1 for columns that are not named. None: all weights are 1.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._validation import Real
from branchline.errors import ParameterError, Repair
from branchline.neighbors._many_numbers import shares_of_numbers
from branchline.neighbors._responses import Numbers, Outcomes, explained_share
from branchline.neighbors._space import level_ranks
from branchline.table import Table

__all__ = [
    "add_shares_of_levels",
    "check_column_weights",
    "given_weights",
    "relevance_weights",
    "weights_of_shares",
]

# The least share of a column: one without a relation by itself may matter together with another.
_FLOOR = 0.02
_MOST = 1e6


def check_column_weights(given: Any, table: Table) -> None:
    """Refuse weights of columns that are not there, and weights that are none."""
    if not isinstance(given, Mapping):
        return
    allowed = Real(0.0, _MOST)
    for name, weight in given.items():
        if name not in table.schema.position:
            raise ParameterError(
                f"The 'column_weights' parameter names the column {name!r}, which is not in the "
                f"table. Its columns are: {', '.join(map(repr, table.names[:8]))}.",
                code="P040",
                values=[name],
                repair=Repair("model.set_params(column_weights='relevance')"),
            )
        if not allowed.allows(weight):
            raise ParameterError(
                f"The 'column_weights' parameter gives column {name!r} the weight {weight!r}; it "
                f"must be {allowed.describe()}.",
                code="P040",
                column=str(name),
                values=[weight],
                repair=Repair("model.set_params(column_weights='relevance')"),
            )


def given_weights(given: Any, table: Table) -> Numbers:
    """Return the weights that a mapping gives, 1 elsewhere."""
    weights = np.ones(table.n_columns)
    for name, weight in given.items() if isinstance(given, Mapping) else ():
        weights[table.schema.position[name]] = float(weight)
    return weights


def relevance_weights(table: Table, responses: Outcomes) -> Numbers:
    """Return weights by how much each column tells about the target by itself."""
    shares = shares_of_numbers(table, responses)
    add_shares_of_levels(shares, table, table, responses)
    return weights_of_shares(shares)


def add_shares_of_levels(shares: Numbers, table: Table, part: Table, responses: Outcomes) -> None:
    """Write the shares of the category columns of ``part`` to their places in ``table``."""
    for field in part.schema.fields if part.matrix is None else ():
        if field.type.kind == "category":
            groups = level_ranks(part.column(field.name))[0] + 1  # missing cells are group 0
            share = explained_share(groups, int(groups.max()) + 1, responses)
            shares[table.schema.position[field.name]] = share


def weights_of_shares(shares: Numbers) -> Numbers:
    """Return the weights of columns that explain these shares."""
    roots = np.sqrt(shares + _FLOOR)
    weights: Numbers = roots / roots.max()
    return weights
