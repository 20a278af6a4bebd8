"""Classification by a Bayesian network of the inputs and the class.

1. The table and the class become levels (``network/_levels``); the class is one more column.
2. The structure is a tree between the inputs, with the class as a parent of all ("tan"), or it is
   searched as that of any network.
3. p(class | known inputs) is exact (``network/_elimination``); with complete rows only the Markov
   blanket of the class counts.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import log_softmax

from branchline._arrays import AnyArray, Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._validation import Constraint, OneOf, Real, TrainingData, Whole, check_seed
from branchline.density.network._elimination import marginals
from branchline.density.network._fitting import STRUCTURES, NetworkSettings, fit_network
from branchline.density.network._levels import NetworkColumns, fit_columns
from branchline.density.network._limits import EdgeRules
from branchline.density.network._network import MISSING, Network
from branchline.density.network._network_state import network_from_state, network_to_state
from branchline.density.network._search import LevelRows
from branchline.table import Schema

__all__ = ["BayesianNetworkClassifier"]

_CLASS = "the class"


class BayesianNetworkClassifier(Classifier):
    """Predict the class by a Bayesian network: like naive Bayes, but inputs may depend on others.

    Numbers become bins; missing cells are summed out exactly, in training (by expectation and
    maximization) and in prediction. The network can be read: which inputs matter together.

    Boosted trees are usually more accurate on large tables of numbers, because bins are coarse.

    Parameters
    ----------
    structure
        "tan" (default): the class is a parent of every input, and the inputs form a tree. "naive":
        the class alone. "auto", "exact", "hill_climbing": the structure of the best score, in which
        inputs that are not informative about the class, given the others, are not used.
        "chow_liu": a tree.
    criterion
        The score of a structure: "bic" (default) or "bdeu".
    max_parents
        Maximum number of parents of a column. Default 5.
    n_bins
        Maximum number of bins of a column of numbers. Default 8.
    prior_rows
        Weight of the prior: rows with the overall shares of a column, added to each combination of
        levels of its parents. Default 5.0.
    equivalent_sample_size
        Equivalent sample size of the criterion "bdeu". Default 1.0.
    n_restarts
        Restarts of hill climbing. Default 20.
    random_state
        Seed of the restarts, and of draws for rows with many missing cells. Default 0.

    Attributes
    ----------
    classes_
        The classes, sorted.
    inputs_used_
        The inputs in the Markov blanket of the class: with complete rows, no other counts.
    edges_
        The edges between inputs as (parent, child).

    See Also
    --------
    BayesianNetwork
    NaiveBayes : predict the class by naive Bayes.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import BayesianNetworkClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = BayesianNetworkClassifier().fit(X.rows(range(900)), y[:900])
    >>> round(model.score(X.rows(range(900, 1000)), y[900:]), 2)
    0.74
    """

    _opposite = None  # nothing here predicts numbers
    _tolerance = 1e-9
    _copies_of_columns_count = True
    _constraints: ClassVar[dict[str, Constraint]] = {
        "structure": OneOf(STRUCTURES),
        "criterion": OneOf(("bic", "bdeu")),
        "max_parents": Whole(0, 100),
        "n_bins": Whole(2, 100),
        "prior_rows": Real(0, 1e9, low_open=True),
        "equivalent_sample_size": Real(0, 1e9, low_open=True),
        "n_restarts": Whole(0, 100_000),
    }
    _network: Network
    _columns: NetworkColumns

    def __init__(
        self,
        *,
        structure: str = "tan",
        criterion: str = "bic",
        max_parents: int = 5,
        n_bins: int = 8,
        prior_rows: float = 5.0,
        equivalent_sample_size: float = 1.0,
        n_restarts: int = 20,
        random_state: Any = 0,
    ) -> None:
        self.structure = structure
        self.criterion = criterion
        self.max_parents = max_parents
        self.n_bins = n_bins
        self.prior_rows = prior_rows
        self.equivalent_sample_size = equivalent_sample_size
        self.n_restarts = n_restarts
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the structure and the probabilities of inputs and class."""
        data = self._begin(X, y, sample_weight)
        columns, rows = self._rows(canonical_rows(data, merge=True))
        names = [*columns.names(data.table.schema), _CLASS]
        fitted = fit_network(rows.merged(), names, self._settings(len(names) - 1))
        return self._finish(
            data, classes_=data.class_target.classes, _network=fitted.network, _columns=columns
        )

    def _rows(self, data: TrainingData) -> tuple[NetworkColumns, LevelRows]:
        """Return how inputs become levels, and training rows with the class as the last column."""
        target = data.class_target
        columns = fit_columns(data.table, data.weights, int(self.n_bins))
        rows = columns.rows(data.table, data.weights)
        classes = target.class_of_row.astype(np.uint16)[:, None]
        n_levels = (*rows.n_levels, target.n_classes)
        return columns, replace(rows, levels=np.hstack([rows.levels, classes]), n_levels=n_levels)

    def _settings(self, target: int) -> NetworkSettings:
        return NetworkSettings(
            self.structure,
            self.criterion,
            int(self.max_parents),
            EdgeRules(),
            float(self.prior_rows),
            float(self.equivalent_sample_size),
            int(self.n_restarts),
            check_seed(self.random_state),
            target,
        )

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, given the known inputs of a row."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of each class's probability; it never underflows."""
        table = self._check_rows(X).table
        levels = self._columns.levels(table)
        blank = np.full((len(levels), 1), MISSING, dtype=np.uint16)
        levels = np.hstack([levels, blank])
        target = len(self._network) - 1
        near = list(self._network.blanket(target))
        known = ~(levels[:, near] == MISSING).any(axis=1)
        found = np.empty((len(levels), len(self.classes_)))
        found[known] = self._joint(levels[known], target)
        with np.errstate(divide="ignore"):
            found[~known] = np.log(marginals(self._network, levels[~known], (target,)))
        return np.asarray(log_softmax(found, axis=1))

    def _joint(self, levels: AnyArray, target: int) -> Floats:
        """Return the log probability of the families of the class, for each class."""
        total = np.zeros((len(levels), len(self.classes_)))
        for k in range(len(self.classes_)):
            levels[:, target] = k
            for column in (target, *self._network.children[target]):
                total[:, k] += np.log(self._network.family_probability(levels, column))
        return total

    @property
    def inputs_used_(self) -> list[str]:
        """The inputs in the Markov blanket of the class."""
        self._check_fitted()
        names = self._columns.names(self.schema_)
        return [names[at] for at in self._network.blanket(len(names))]

    @property
    def edges_(self) -> list[tuple[str, str]]:
        """The edges between inputs as (parent, child)."""
        self._check_fitted()
        names = self._columns.names(self.schema_)
        n = len(names)
        edges = self._network.edges
        return [(names[a], names[b]) for a, b in edges if a < n and b < n]

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self._network.n_parameters), "parameters")

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "columns": self._columns.pack(),
            **network_to_state(self._network),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        packed = state.get("columns")
        if not isinstance(packed, dict):
            raise malformed("the columns of the network are missing")
        columns = NetworkColumns.unpack(packed, schema)
        network = network_from_state(state, (*columns.n_levels, len(classes)))
        return {"classes_": classes, "_columns": columns, "_network": network}
