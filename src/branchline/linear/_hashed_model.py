"""What a hashed linear model says: scores, probabilities, explanations, its weights by name."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import log_expit, softmax

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState
from branchline._class_sums import n_sums, probabilities_of, versus, with_runner_up
from branchline._explanation import Explanation, Part, in_order_of_size
from branchline._plain_numbers import number
from branchline._state import classes_from_state, classes_to_state
from branchline._validation import PredictionData
from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.linear._hashed_rows import check_hashed_rows
from branchline.linear._hashed_state import Learned, pack_learned, unpack_learned
from branchline.linear._hashing import Hashing, hash_names, text_of
from branchline.table import Schema, Table

__all__ = ["HashedModel"]

_BLOCK = 65_536  # rows that are hashed at a time
_MANY_UNKNOWN = 10  # a few rows may well hold nothing but new names


class HashedModel(Classifier):
    """The reading side of a hashed model; ``n_features`` and ``numbers`` are its parameters."""

    n_features: int
    numbers: str
    # Values of a row are added in the order of places, batch or single.
    _tolerance = 1e-9
    hashing_: Hashing
    learned_: Learned

    # -- predicting -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Return the log-odds of the second of two classes; else of each class against the rest."""
        scores = self._scores(self._check_rows(X).table)
        return scores if len(self.classes_) > 2 else scores[:, 0]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        scores = self._scores(self._check_rows(X).table)
        if len(self.classes_) <= 2:
            return probabilities_of(scores, len(self.classes_))
        probabilities: Floats = softmax(log_expit(scores), axis=1)
        return probabilities

    def _scores(self, table: Table) -> Floats:
        parts = [
            self._multiply(self.hashing_.encode(table.rows(slice(at, at + _BLOCK))))
            for at in range(0, max(1, table.n_rows), _BLOCK)
        ]
        return np.vstack(parts) + self.learned_.bias

    def _multiply(self, matrix: Any) -> Floats:
        return np.column_stack([matrix @ sums for sums in self.learned_.weights])

    def _check_rows(self, X: Any) -> PredictionData:
        self._check_fitted()
        rows = check_hashed_rows(X, self.schema_, owner=type(self).__name__)
        self._warn_if_all_unknown(rows.table)
        return rows

    def _warn_if_all_unknown(self, table: Table) -> None:
        """Say it when no value of a column was learned from: most often it is written otherwise."""
        known = np.asarray(self.learned_.weights.any(axis=0))
        if self.hashing_.is_sparse or table.n_rows < _MANY_UNKNOWN or not known.any():
            return
        for at in np.flatnonzero(self.hashing_.used):
            column = table.column(table.names[at])
            if column.kind != "category" or not (column.values >= 0).any():
                continue
            codes = np.unique(column.values[column.values >= 0])
            places, _ = self._places(column.name, [column.categories[code] for code in codes])
            if not known[places].any():
                warn(
                    f"No value of column {column.name!r} was there when the model was fitted: now "
                    f"{', '.join(repr(column.categories[code]) for code in codes[:3])}. All its "
                    "rows count as unseen.",
                    BranchlineWarning,
                )

    def _places(self, name: str, values: list[Any]) -> tuple[npt.NDArray[np.intp], Floats]:
        is_boolean = self.schema_[name].source == "boolean"
        texts = [f"{name}={text_of(value, is_boolean=is_boolean)}" for value in values]
        return hash_names(texts, int(self.n_features))

    # -- reading --------------------------------------------------------------------------------

    @property
    def n_rows_seen_(self) -> int:
        """How many rows were learned from, each once."""
        self._check_fitted()
        return self.learned_.n_scored

    @property
    def progressive_loss_(self) -> float:
        """The mean log loss of all rows, each predicted before it was learned from."""
        self._check_fitted()
        return self.learned_.loss / max(1, self.learned_.n_scored)

    @property
    def recent_loss_(self) -> float:
        """The mean log loss of the last block of rows, predicted before they were learned from."""
        self._check_fitted()
        return self.learned_.recent

    def weight_of(self, column: str, value: Any = None) -> Any:
        """Return what a value of a column adds to the score, or one standard deviation of a number.

        Parameters
        ----------
        column
            The column.
        value
            The category; None for a number, or for the weight of a missing value in a category.

        Returns
        -------
        float or array
            For two classes a number (log-odds of the second); else one for each class. 0 for a
            value that was never there.
        """
        self._check_fitted()
        if value is None:
            is_number = self.schema_[column].kind == "numeric"
            name = column if is_number and self.numbers == "value" else f"{column} missing"
            places, signs = hash_names([name], int(self.n_features))
        else:
            places, signs = self._places(column, [value])
        weights = self.learned_.weights[:, places[0]] * signs[0]
        return weights if len(self.classes_) > 2 else float(weights[0])

    def to_text(self) -> str:
        """Return what there is to say about the model: how much it learned, and how well."""
        self._check_fitted()
        n_used = int(np.count_nonzero(self.learned_.weights.any(axis=0)))
        return (
            f"hashed logistic regression: {self.learned_.n_scored} rows seen, {n_used} of "
            f"{self.n_features} places used\nlog loss of rows before they were learned from: "
            f"{number(self.progressive_loss_)} (the last ones: {number(self.recent_loss_)})"
        )

    def _explain(self, row: Table) -> Explanation:
        name = self.predict(row)[0]
        weights, bias = self.learned_.weights, self.learned_.bias
        if len(self.classes_) == 2:
            weights, bias = np.vstack([0 * weights, weights]), np.append(0.0, bias)
        sums = np.asarray(self.hashing_.encode(row) @ weights.T)[0] + bias
        best, second = with_runner_up(int(np.flatnonzero(self.classes_ == name)[0]), sums)
        difference, amounts = weights[best] - weights[second], np.zeros(row.n_columns)
        for _, columns, places, values in self.hashing_.parts(row):
            np.add.at(amounts, columns, difference[places] * values)
        base = float(bias[best] - bias[second])
        total = base + float(amounts.sum())
        about = versus("log-odds", self.classes_, best, second)
        if len(self.classes_) > 2:
            about = versus("score", self.classes_, best, second)
        parts = self._filled(row, amounts) if self.hashing_.is_sparse else None
        parts = in_order_of_size(row, amounts) if parts is None else parts
        return Explanation(name, about, base, total, parts, is_sum=True)

    def _filled(self, row: Table, amounts: Floats) -> tuple[Part, ...]:
        """Return a part for each cell that a sparse row stores; all others add nothing."""
        cells = sparse.coo_array(row.sparse if row.sparse is not None else row.to_numpy())
        value_of = dict(zip(cells.coords[1].tolist(), cells.data.tolist(), strict=True))
        order = sorted(value_of, key=lambda place: (-abs(amounts[place]), place))
        return tuple(Part(row.names[at], value_of[at], float(amounts[at])) for at in order)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, int(np.count_nonzero(self.learned_.weights))), "weights")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "hashing": dict(self.hashing_.pack()),
            "learnt": dict(pack_learned(self.learned_)),  # words: ok
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes, n_features = classes_from_state(state), int(self.n_features)
        bins = self.numbers == "bins"
        return {
            "classes_": classes,
            "hashing_": Hashing.unpack(state.get("hashing"), schema, n_features, bins=bins),
            "learned_": unpack_learned(
                state.get("learnt"), n_sums(len(classes)), n_features
            ),  # words: ok
        }
