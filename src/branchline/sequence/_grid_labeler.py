"""Labels of the cells of small grids: a structured support vector machine with exact inference.

1. Rows are cells; two columns say where a cell stands, a third to which grid it belongs. The values
   of a cell and of those around it become features (``_grid_features``).
2. The score of a labeling is the sum of the weights of (feature, label), of (label, label to its
   right) and of (label, label below). The best labeling of all is found exactly
   (``_grid_decoding``).
3. The weights are those of the structured support vector machine with the number of wrong cells as
   its loss, by cutting planes (``_cutting_planes``), until the duality gap is small: a certificate.
"""

from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from branchline._arrays import AnyArray, Floats, Places
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._state import (
    classes_from_state,
    classes_to_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import AnyOf, Constraint, Given, OneOf, Real, TrainingData, Whole
from branchline._warn import warn
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair
from branchline.sequence._cutting_planes import learn_by_planes
from branchline.sequence._grid_features import GridFeatures
from branchline.sequence._grid_marks import CELLS, GridMarks
from branchline.sequence._grid_reading import draw_grid, explain_cells, grid_frame, grid_text
from branchline.sequence._sequence_explanation import SequenceExplanation
from branchline.sequence._sequence_scores import SequenceScores, scores_of_sequences
from branchline.sequence._token_features import TokenFeatures, fit_features
from branchline.sequence._token_marks import without_marks
from branchline.sequence._training_grids import (
    GridWeights,
    TrainingGrids,
    checked_layouts,
    label_grids,
)
from branchline.sequence._training_sequences import refuse_uneven_weights
from branchline.table import Schema, Table, as_table

__all__ = ["GridLabeler"]


class GridLabeler(Classifier):
    """Predict a label for each cell of small grids, together with the labels of its neighbors.

    Each row of the table is a cell: a pixel of a small image, a field of a map, a well of a plate.
    Two columns say where it stands, one says to which grid it belongs; all others describe the cell
    (numbers, categories, missing values). The labels of a grid are chosen together, so that a noisy
    cell takes the label that its neighbors speak for.

    Use it to divide grids into regions where single cells tell too little. Grids are small: with
    two labels the shorter side has at most 16 cells, with three 10, with four 8. If neighbors tell
    nothing, any classifier on the same table does as well.

    Parameters
    ----------
    row, column
        The columns that say in which row and in which column of its grid a cell stands: whole
        numbers. Cells may be absent. Defaults "row", "column".
    grid
        The column that names the grid of a cell; None (default): all cells are one grid.
    window
        How many cells to each side describe a cell as well; 1: the eight around it. Default 0.
    C
        The cost of a wrong label: smaller values follow the training rows less closely. Default 1.
    min_frequency
        How many cells a category must have to be known; rarer ones share one feature, which unseen
        categories join. Default 2.
    max_bins
        Maximum number of bins of a numeric column. Default 16.
    tol
        The duality gap to be reached, in wrong labels per cell. Default 0.001.
    max_planes
        Maximum number of cutting planes; each labels all training grids once. Default 500.

    Attributes
    ----------
    classes_
        The labels, sorted.
    gap_, objective_
        How much lower the objective could be at most, per cell, and the objective.
    n_planes_
        Number of cutting planes.
    feature_weights_
        The weight of each feature for each label.
    across_weights_, down_weights_
        The weight of a label (row) left of another label (column), and above it.

    See Also
    --------
    SequenceLabeler

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.sequence import GridLabeler
    >>> draws = np.random.default_rng(0)
    >>> image, row, column = (place.ravel() for place in np.mgrid[:20, :6, :6])
    >>> region = np.where(column < 2 + image % 3, "land", "sea")
    >>> bright = (region == "land") + draws.normal(0, 0.7, len(region))
    >>> table = {"image": image, "row": row, "column": column, "bright": bright}
    >>> first = image < 10
    >>> train, new = ({name: cells[part] for name, cells in table.items()}
    ...               for part in (first, ~first))
    >>> model = GridLabeler("row", "column", "image").fit(train, region[first])
    >>> round(model.score(new, region[~first]), 2)
    0.93
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "row": Given((str,), "the name of a column"),
        "column": Given((str,), "the name of a column"),
        "grid": AnyOf((OneOf((None,)), Given((str,), "the name of a column"))),
        "window": Whole(0, 5),
        "C": Real(0.0, 1e9, low_open=True),
        "min_frequency": Whole(1),
        "max_bins": Whole(2, 1000),
        "tol": Real(0.0, 1.0, low_open=True),
        "max_planes": Whole(1, 100_000),
    }
    _opposite = None
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"history_"})
    gap_: float
    objective_: float
    n_planes_: int
    history_: Floats
    weights_: GridWeights
    features_: GridFeatures
    n_grids_: int

    def __init__(  # noqa: PLR0913 (an argument for each parameter)
        self,
        row: str = "row",
        column: str = "column",
        grid: str | None = None,
        *,
        window: int = 0,
        C: float = 1.0,
        min_frequency: int = 2,
        max_bins: int = 16,
        tol: float = 0.001,
        max_planes: int = 500,
    ) -> None:
        self.row = row
        self.column = column
        self.grid = grid
        self.window = window
        self.C = C
        self.min_frequency = min_frequency
        self.max_bins = max_bins
        self.tol = tol
        self.max_planes = max_planes

    @property
    def feature_weights_(self) -> Floats:
        """The weight of each feature for each label."""
        return self.weights_.features

    @property
    def across_weights_(self) -> Floats:
        """The weight of a label (row) left of another one (column)."""
        return self.weights_.across

    @property
    def down_weights_(self) -> Floats:
        """The weight of a label (row) above another one (column)."""
        return self.weights_.down

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table of cells and the label of each; a grid has one weight."""
        self._check_parameters()
        table = as_table(X)
        grids = self._grids(table)
        data = self._begin(self._described(table), y, sample_weight)
        if sample_weight is not None:
            refuse_uneven_weights(sample_weight, grids.marks)
            grids = self._grids(table if data.kept is None else table.rows(data.kept))
        order, target = grids.marks.order, data.class_target
        features = self._features(data)
        units = data.weights.units
        known = TrainingGrids(
            grids,
            features.of_cells(data.table.rows(order), grids),
            target.class_of_row[order].astype(np.intp),
            np.ones(len(order), dtype=np.int64) if units is None else units[order],
            len(target.classes),
            features.n_features,
        )
        return self._finish(
            data,
            classes_=target.classes,
            features_=features,
            n_grids_=grids.n_grids,
            **self._learn(known, data.weights.unit),
        )

    def _grids(self, table: Table) -> GridMarks:
        return GridMarks.of_table(table, self.grid, (self.row, self.column))

    def _described(self, table: Table) -> Table:
        return without_marks(table, (self.grid, self.row, self.column), CELLS[0])

    def _features(self, data: TrainingData) -> GridFeatures:
        rules = {"window": 0, "min_frequency": int(self.min_frequency),
                 "max_bins": int(self.max_bins)}  # fmt: skip
        own = fit_features(data.table, data.weights.units, rules, data.weights.unit)
        return GridFeatures(own, int(self.window))

    def _learn(self, known: TrainingGrids, unit: float) -> dict[str, Any]:
        strength = 1.0 / (self.C * float(known.units.sum()) * unit)
        options = (strength, float(self.tol), int(self.max_planes))
        found = learn_by_planes(known.plane_at, known.n_weights, options)
        if found.gap > self.tol:
            warn(
                BranchlineWarning(
                    f"The duality gap is {found.gap:.2g} after {len(found.history)} cutting "
                    f"planes, not {self.tol:.2g}: raise max_planes, or lower C.",
                    code="W081",
                )
            )
        return {
            "weights_": GridWeights.of_vector(found.weights, known.n_labels),
            "history_": found.history,
            "n_planes_": len(found.history),
            "objective_": float(found.history[-1, 1]),
            "gap_": found.gap,
        }

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each row: those of a grid are the best together."""
        grids, _, labels = self._label(X)
        found = np.empty(len(labels), dtype=np.intp)
        found[grids.marks.order] = labels
        names: AnyArray = self.classes_[found]
        return names

    @property
    def predict_proba(self) -> NoReturn:
        """Raise AttributeError: labels of grids have no probabilities."""
        raise AttributeError("a grid labeler has no probabilities: use explain")

    @property
    def predict_log_proba(self) -> NoReturn:
        """Raise AttributeError: labels of grids have no probabilities."""
        raise AttributeError("a grid labeler has no probabilities: use explain")

    def _label(self, X: Any) -> tuple[GridMarks, AnyArray, Places]:
        """Return grids, the features of their cells, and the places of labels, in their order."""
        self._check_fitted()
        rows = self._check_rows(self._described(as_table(X, texts="raw"))).table
        grids = self._grids(as_table(X))
        if rows.n_rows == 0:
            none = np.zeros(0, dtype=np.intp)
            return grids, none.reshape(0, 1), none
        features = self.features_.of_cells(rows.rows(grids.marks.order), grids)
        layouts = checked_layouts(grids, len(self.classes_))
        cells = self.weights_.of_cells(features)
        labels, _ = label_grids(layouts, grids.marks.starts, cells, self.weights_)
        return grids, features, labels

    def evaluate(self, X: Any, y: Any) -> SequenceScores:
        """Return the accuracy of cells and of whole grids on new grids, with intervals."""
        truth = np.asarray(y)
        predicted = self.predict(X)
        if truth.shape != predicted.shape or len(truth) == 0:
            raise DataError(
                f"y has shape {truth.shape}; one label for each of the {len(predicted)} rows of X "
                "is needed, and at least one row.",
                code="D075",
            )
        owners = self._grids(as_table(X)).marks.owners
        return scores_of_sequences(truth, predicted, owners, self.n_grids_, CELLS)

    # -- reading ----------------------------------------------------------------------------------

    def explain(self, X: Any) -> SequenceExplanation:  # type: ignore[override]
        """Say why the cells of one grid have their labels.

        Parameters
        ----------
        X
            A table of one grid.
        """
        grids, features, labels = self._one(X)
        return explain_cells(self, grids, features, labels)

    def draw(self, X: Any, ax: Any = None) -> Any:
        """Return the predicted labels of one grid as a chart (``branchline.charts.Chart``).

        Parameters
        ----------
        X
            A table of one grid.
        ax
            Axes of matplotlib. When they are given, the grid is drawn on them and they are
            returned.
        """
        grids, _, labels = self._one(X)
        chart = draw_grid(self, grids, labels)
        return chart if ax is None else chart.on(ax)

    def _one(self, X: Any) -> tuple[GridMarks, AnyArray, Places]:
        grids, features, labels = self._label(X)
        if grids.n_grids != 1:
            raise ParameterError(
                f"One grid can be shown at a time; {grids.n_grids} were given.",
                code="P940",
                repair=Repair(
                    "from branchline import Table\n"
                    "cells = Table(X).column(model.grid).to_list()\n"
                    "rows = [at for at, cell in enumerate(cells) if cell == cells[0]]\n"
                    "model.explain(Table(X).rows(rows))"
                ),
            )
        return grids, features, labels

    def to_text(self, *, most: int = 5) -> str:
        """Return the model as text: the ``most`` strongest features of each label, pairs."""
        self._check_fitted()
        return grid_text(self, most)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a row for each feature and label with a weight, and for each pair of labels."""
        self._check_fitted()
        return grid_frame(self, library)

    def _complexity(self) -> Complexity:
        parts = (self.weights_.features, self.weights_.across, self.weights_.down)
        return Complexity(sum(int(np.count_nonzero(part)) for part in parts), "weights")

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        weights = self.weights_
        return {
            "classes": classes_to_state(self.classes_),
            "features": self.features_.own.pack(),
            "weights": np.ascontiguousarray(weights.features).reshape(-1),
            "pairs": np.concatenate([weights.across.ravel(), weights.down.ravel()]),
            "about": np.array([float(self.n_planes_), float(self.n_grids_)]),
            "objective": float(self.objective_),
            "gap": float(self.gap_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        own = TokenFeatures.unpack(state.get("features"), schema, 0)
        features, n_labels = GridFeatures(own, int(self.window)), len(classes)
        weights = numbers_from_state(state, "weights", length=features.n_features * n_labels)
        pairs = numbers_from_state(state, "pairs", length=2 * n_labels**2)
        about = numbers_from_state(state, "about", length=2, low=1, high=2.0**53)
        if (about != np.rint(about)).any():
            raise malformed("counts are not those of a model")
        return {
            "classes_": classes,
            "features_": features,
            "weights_": GridWeights.of_vector(np.concatenate([weights, pairs]), n_labels),
            "n_planes_": int(about[0]),
            "n_grids_": int(about[1]),
            "objective_": number_from_state(state, "objective"),
            "gap_": number_from_state(state, "gap"),
        }
