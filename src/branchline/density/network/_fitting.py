"""What estimators with a Bayesian network share: from levels and settings to a fitted network."""

from collections.abc import Sequence
from dataclasses import dataclass

from branchline._arrays import Bools
from branchline.density.network._completion import learn
from branchline.density.network._limits import EdgeRules, edge_flags
from branchline.density.network._network import MISSING, Network
from branchline.density.network._search import (
    EXACT_COLUMNS,
    LevelRows,
    SearchOptions,
    family_score,
)
from branchline.errors import DataError, ParameterError, Repair

__all__ = ["STRUCTURES", "FittedNetwork", "NetworkSettings", "fit_network"]

STRUCTURES = ("auto", "exact", "hill_climbing", "chow_liu", "naive", "tan")
_MOST_COLUMNS, _MOST_EXACT = 1000, 18


@dataclass(frozen=True)
class NetworkSettings:
    """What the user asks for; ``target`` is the place of the column of classes, −1: none."""

    structure: str
    criterion: str
    max_parents: int
    rules: EdgeRules
    prior_rows: float
    sample_size: float
    n_restarts: int
    seed: int
    target: int = -1


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A network, which edges were allowed, its score (None with missing cells), and rounds."""

    network: Network
    allowed: Bools
    score: float | None
    n_rounds: int


def fit_network(rows: LevelRows, names: Sequence[str], settings: NetworkSettings) -> FittedNetwork:
    """Find structure and tables of a network in rows that are all different."""
    structure = _structure(settings, len(names))
    allowed, required = edge_flags(settings.rules, names, settings.max_parents)
    options = SearchOptions(
        structure,
        settings.criterion == "bdeu",
        settings.sample_size,
        allowed,
        required,
        min(settings.max_parents, max(0, len(names) - 1)),
        settings.target,
        settings.n_restarts,
        settings.seed,
    )
    learned = learn(rows, options, settings.prior_rows)
    score = None
    if not (rows.levels == MISSING).any():
        families = enumerate(learned.network.parents)
        score = float(sum(family_score(rows, options, *family) for family in families))
    return FittedNetwork(learned.network, allowed, score, learned.n_rounds)


def _structure(settings: NetworkSettings, n_columns: int) -> str:
    """Return how the structure is found; refuse what is not possible."""
    structure = settings.structure
    if structure in ("naive", "tan") and settings.target < 0:
        raise ParameterError(
            f"structure={structure!r} needs the column of classes.",
            code="P703",
            repair=Repair(f"BayesianNetwork(structure={structure!r}, target='class')"),
        )
    if n_columns > _MOST_COLUMNS:
        raise DataError(
            f"A network joins at most {_MOST_COLUMNS:,} columns; this table has {n_columns:,}.",
            code="D701",
            repair=Repair("table.select(names_of_at_most_1000_columns)"),
        )
    if structure == "exact" and n_columns > _MOST_EXACT:
        raise ParameterError(
            f"structure='exact' is for at most {_MOST_EXACT} columns; there are {n_columns}.",
            code="P704",
            repair=Repair("BayesianNetwork(structure='hill_climbing')"),
        )
    if structure == "auto":
        return "exact" if n_columns <= EXACT_COLUMNS else "hill_climbing"
    return structure
