"""Bayesian networks: which columns depend on which, and how probable everything is.

p(row) = Π_v θ_v(x_v | x_parents(v)), with the parents of columns without a cycle.

1. The table becomes levels: categories as they are, numbers in bins (``network/_levels``).
2. The parents of all columns are searched for the highest score, exactly for up to 15 columns
   (``network/_search``); missing cells are completed by the network (``network/_completion``).
3. The probabilities given the parents are shares of rows, with a small prior.
4. Questions are answered exactly, by variable elimination (``network/_elimination``).
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._base import Complexity, FittedState, WithoutTarget, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._result_frame import Library, result_frame
from branchline._state import array_from_state, malformed, number_from_state
from branchline._validation import (
    Constraint,
    Given,
    OneOf,
    Real,
    Whole,
    check_seed,
    check_training_inputs,
)
from branchline.charts import Diagram
from branchline.density.network._answer import NetworkAnswer
from branchline.density.network._elimination import log_likelihood, marginals, most_probable
from branchline.density.network._equivalence import directed_edges
from branchline.density.network._evidence import evidence_levels
from branchline.density.network._filling import draw_rows, fill_rows
from branchline.density.network._fitting import STRUCTURES, NetworkSettings, fit_network
from branchline.density.network._levels import Bins, NetworkColumns, fit_columns
from branchline.density.network._limits import EdgeRules, place_of
from branchline.density.network._network import MISSING, Network, flags_of
from branchline.density.network._network_drawing import draw_network
from branchline.density.network._network_state import network_from_state, network_to_state
from branchline.density.network._network_words import network_text
from branchline.density.network._stability import NetworkStability, edge_stability
from branchline.table import Schema, Table

__all__ = ["BayesianNetwork"]


class BayesianNetwork(WithoutTarget):
    """Find which columns of a table depend on which, and answer questions about any of them.

    A network has an arrow from each column to those that depend on it directly; given its parents,
    a column is independent of everything that comes before it. Tables are taken as they are:
    numbers become bins, missing cells are completed by the network itself, so that no family gains
    from dropping rows. Up to 15 columns the network of the best score is found exactly.

    An arrow is a dependence, not a cause. Several networks can fit equally well; ``to_text`` says
    which arrows could point the other way. Of a table of thousands of columns, choose some first.

    Parameters
    ----------
    structure
        How the structure is found. "auto" (default): "exact" for up to 15 columns, else
        "hill_climbing". "chow_liu": the best tree; fast. "naive": ``target`` is the only parent of
        all other columns; "tan": with a tree between them.
    criterion
        The score of a structure: "bic" (default) or "bdeu".
    max_parents
        Maximum number of parents of a column. Default 5.
    n_bins
        Maximum number of bins of a column of numbers. Default 4.
    required, forbidden
        Edges that the network must or must not have: pairs (parent, child).
        Default None: all edges are free.
    order
        Columns in an order, causes first: a later one is never the parent of an earlier one.
        Default None: any order.
    root
        A column without parents. Default None: any.
    target
        The column of classes, for "naive" and "tan"; with other structures, the column that
        ``to_text`` begins with. Default None: no column.
    prior_rows
        Weight of the prior: rows with the overall shares of a column, added to each combination of
        levels of its parents. No probability is 0. Default 1.0.
    equivalent_sample_size
        Equivalent sample size of the criterion "bdeu". Default 1.0.
    n_restarts
        Restarts of hill climbing. Default 20.
    random_state
        Seed of the restarts, and of draws for rows with many missing cells. Default 0.

    Attributes
    ----------
    names_
        The columns of the network, in alphabetical order.
    left_out_
        Columns with fewer than two levels that several rows have, such as constants and
        identifiers; the network does not describe them.
    parents_
        The parents of each column, by name.
    edges_
        All edges as (parent, child).
    cut_points_
        The cut points of each column of numbers; a number on a cut point is in the lower bin.
    log_likelihood_
        The log probability of the known cells of the training rows.
    criterion_
        The BIC or BDeu of the structure; higher is better. None with missing cells.
    n_rows_
        The weight of the training rows.
    n_rounds_
        How often the structure was searched; more than once with missing cells. Not saved.

    See Also
    --------
    BayesianNetworkClassifier : predict the class by a Bayesian network.
    Mixture

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import BayesianNetwork
    >>> table = load_dataset("titanic").select(["pclass", "sex", "age", "survived"])
    >>> model = BayesianNetwork().fit(table)
    >>> round(model.query({"sex": "female"}, of="survived")["yes"], 2)
    0.73
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "structure": OneOf(STRUCTURES),
        "criterion": OneOf(("bic", "bdeu")),
        "max_parents": Whole(0, 100),
        "n_bins": Whole(2, 100),
        "required": Given((list, tuple, set, frozenset), "a list of pairs (parent, child)"),
        "forbidden": Given((list, tuple, set, frozenset), "a list of pairs (parent, child)"),
        "order": Given((list, tuple), "a list of columns"),
        "root": Given((str,), "the name of a column"),
        "target": Given((str,), "the name of a column"),
        "prior_rows": Real(0, 1e9, low_open=True),
        "equivalent_sample_size": Real(0, 1e9, low_open=True),
        "n_restarts": Whole(0, 100_000),
    }
    _tolerance = 1e-9
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"n_rounds_"})
    log_likelihood_: float
    criterion_: float | None
    n_rounds_: int
    n_rows_: float
    _network: Network
    _columns: NetworkColumns
    _allowed: Bools

    def __init__(  # noqa: PLR0913
        self,
        *,
        structure: str = "auto",
        criterion: str = "bic",
        max_parents: int = 5,
        n_bins: int = 4,
        required: Any = None,
        forbidden: Any = None,
        order: Any = None,
        root: str | None = None,
        target: str | None = None,
        prior_rows: float = 1.0,
        equivalent_sample_size: float = 1.0,
        n_restarts: int = 20,
        random_state: Any = 0,
    ) -> None:
        self.structure = structure
        self.criterion = criterion
        self.max_parents = max_parents
        self.n_bins = n_bins
        self.required = required
        self.forbidden = forbidden
        self.order = order
        self.root = root
        self.target = target
        self.prior_rows = prior_rows
        self.equivalent_sample_size = equivalent_sample_size
        self.n_restarts = n_restarts
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the structure and the probabilities; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows = canonical_rows(data, merge=True)
        columns = fit_columns(rows.table, rows.weights, int(self.n_bins))
        levels = columns.rows(rows.table, rows.weights).merged()
        names = columns.names(data.table.schema)
        fitted = fit_network(levels, names, self._settings(names))
        likelihoods = log_likelihood(fitted.network, levels.levels)
        return self._finish(
            data,
            log_likelihood_=float((levels.units * levels.unit) @ likelihoods),
            criterion_=fitted.score,
            n_rounds_=fitted.n_rounds,
            n_rows_=levels.weight,
            _network=fitted.network,
            _columns=columns,
            _allowed=fitted.allowed,
        )

    def _settings(self, names: list[str]) -> NetworkSettings:
        target = -1 if self.target is None else place_of("target", self.target, names)
        return NetworkSettings(
            self.structure,
            self.criterion,
            int(self.max_parents),
            EdgeRules(self.required, self.forbidden, self.order, self.root),
            float(self.prior_rows),
            float(self.equivalent_sample_size),
            int(self.n_restarts),
            check_seed(self.random_state),
            target,
        )

    # -- questions --------------------------------------------------------------------------------

    def query(self, evidence: Any = None, *, of: str | list[str]) -> NetworkAnswer:
        """Return the probability of each level of a column, given what is known.

        Parameters
        ----------
        evidence
            A mapping of columns to values: categories, numbers, or names of bins.
        of
            A column, or several for their joint distribution.
        """
        self._check_fitted()
        row = evidence_levels(evidence, self._columns, self.schema_)
        wanted = tuple([of] if isinstance(of, str) else of)
        places = tuple(place_of("of", name, self.names_) for name in wanted)
        levels = self._columns.level_names(self.schema_)
        given = {self.names_[at]: levels[at][row[0, at]] for at in np.flatnonzero(row != MISSING)}
        shares = marginals(self._network, row, places)[0]
        return NetworkAnswer(wanted, given, tuple(tuple(levels[at]) for at in places), shares)

    def most_probable(self, evidence: Any = None) -> dict[str, str]:
        """Return the levels of all columns that together are the most probable, given evidence."""
        self._check_fitted()
        row = evidence_levels(evidence, self._columns, self.schema_)
        found = most_probable(self._network, row)[0]
        levels = self._columns.level_names(self.schema_)
        return {name: levels[at][found[at]] for at, name in enumerate(self.names_)}

    def score_samples(self, X: Any) -> Floats:
        """Return the log probability of the known cells of each row; numbers count by their bin."""
        table = self._check_rows(X).table
        return log_likelihood(self._network, self._columns.levels(table))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log probability of rows."""
        return float(self.score_samples(X).mean())

    def sample(self, n_rows: int = 1, random_state: Any = 0) -> Table:
        """Draw rows of the columns of the network.

        A number is uniform between the smallest and the largest training value of its bin.
        """
        self._check_fitted()
        seed = check_seed(random_state)
        return draw_rows(self._network, self._columns, self.schema_, n_rows, seed)

    def predict_missing(self, X: Any) -> Table:
        """Return the rows with missing cells filled, each given all known cells of its row.

        A category becomes the most probable one, a number its mean over the bins. Columns that are
        left out of the network stay as they are.
        """
        table = self._check_rows(X).table
        return fill_rows(self._network, self._columns, table)

    # -- reading ----------------------------------------------------------------------------------

    @property
    def names_(self) -> list[str]:
        """The columns of the network, in alphabetical order."""
        self._check_fitted()
        return self._columns.names(self.schema_)

    @property
    def left_out_(self) -> list[str]:
        """The columns that the network does not describe."""
        held = set(self.names_)
        return [name for name in self.schema_.names if name not in held]

    @property
    def parents_(self) -> dict[str, list[str]]:
        """The parents of each column."""
        names = self.names_
        return {
            name: [names[each] for each in held]
            for name, held in zip(names, self._network.parents, strict=True)
        }

    @property
    def edges_(self) -> list[tuple[str, str]]:
        """All edges as (parent, child)."""
        names = self.names_
        return [(names[parent], names[child]) for parent, child in self._network.edges]

    @property
    def reversible_(self) -> list[tuple[str, str]]:
        """The edges that could point the other way: equivalent networks fit as well."""
        names, directed = self.names_, self._directed()
        return [
            (names[parent], names[child])
            for parent, child in self._network.edges
            if not directed[child, parent]
        ]

    @property
    def cut_points_(self) -> dict[str, list[float]]:
        """The cut points of each column of numbers."""
        return {
            name: column.cuts.tolist()
            for name, column in zip(self.names_, self._columns.columns, strict=True)
            if isinstance(column, Bins)
        }

    def _directed(self) -> Bools:
        flags = flags_of(self._network.parents).astype(bool)
        return directed_edges(flags, self._allowed)

    def markov_blanket(self, column: str) -> list[str]:
        """Return the columns that, when known, make all others useless for predicting this one."""
        names = self.names_
        return [names[at] for at in self._network.blanket(place_of("column", column, names))]

    def table_of(self, column: str, library: Library = "pandas") -> Any:
        """Return the probabilities of a column given its parents as a frame.

        A row for each combination of levels of the parents, a column for each level.
        """
        names, levels = self.names_, self._columns.level_names(self.schema_)
        at = place_of("column", column, names)
        parents, table = self._network.parents[at], self._network.tables[at]
        places = list(np.ndindex(*table.shape[:-1]))
        frame: dict[str, Any] = {
            names[parent]: [levels[parent][place[axis]] for place in places]
            for axis, parent in enumerate(parents)
        }
        flat = table.reshape(-1, table.shape[-1])
        frame |= {f"{column} = {level}": flat[:, k] for k, level in enumerate(levels[at])}
        return result_frame(frame, library)

    def to_text(self) -> str:
        """Return the network in words: what each column depends on, and which arrows are sure."""
        names = self.names_
        first = None if self.target is None else place_of("target", self.target, names)
        levels = self._columns.level_names(self.schema_)
        return network_text(
            self._network, names, levels, self._directed(), first, self.left_out_, self.n_rows_
        )

    def stability(
        self, X: Any, *, n_networks: int = 100, sample_weight: Any = None
    ) -> NetworkStability:
        """Return how often networks of resampled rows contain each edge.

        Parameters
        ----------
        X
            The training rows.
        n_networks
            The number of networks; each is fitted as this one was, with its cut points.
        sample_weight
            The weights of the rows, as for ``fit``.
        """
        table = self._check_rows(X).table
        data = canonical_rows(check_training_inputs(table, sample_weight), merge=True)
        rows = self._columns.rows(data.table, data.weights)
        settings = self._settings(self.names_)
        return edge_stability(rows, self.names_, self._network, settings, n_networks)

    def draw(self, stability: NetworkStability | None = None) -> Diagram:
        """Draw the network; with ``stability``, the width of an arrow shows how stable it is."""
        names = self.names_
        target = None if self.target is None else place_of("target", self.target, names)
        return draw_network(self._network, names, self._directed(), target, stability)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self._network.n_parameters), "parameters")

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "columns": self._columns.pack(),
            "allowed": self._allowed.astype(np.uint8).reshape(-1),
            "log_likelihood": self.log_likelihood_,
            "n_rows": self.n_rows_,
            "criterion": self.criterion_,
            **network_to_state(self._network),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        packed = state.get("columns")
        if not isinstance(packed, dict):
            raise malformed("the columns of the network are missing")
        columns = NetworkColumns.unpack(packed, schema)
        n = len(columns.columns)
        network = network_from_state(state, columns.n_levels)
        allowed = array_from_state(state, "allowed", np.dtype(np.uint8), length=n * n)
        criterion = state.get("criterion")
        return {
            "_columns": columns,
            "_network": network,
            "_allowed": allowed.reshape(n, n).astype(bool),
            "log_likelihood_": number_from_state(state, "log_likelihood"),
            "n_rows_": number_from_state(state, "n_rows"),
            "criterion_": None if criterion is None else number_from_state(state, "criterion"),
        }
