"""What learners on numbers share: the table is encoded before fitting and before predicting.

1. ``_encode_training`` puts rows in canonical order (equal rows merged, unless the learner takes no
   weights), learns the encoding and gives the matrix, the target and the weights in step.
2. The rows of a large table stay where they are, for learners that take them block by block.
3. ``_encode_rows`` gives the matrix of rows to predict.
4. ``_pack_encoding`` and ``_unpack_encoding`` keep the encoding in the model file.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, Predictor
from branchline._canonical_rows import canonical_rows
from branchline._encoding._encoded_blocks import fit_in_blocks, is_large
from branchline._encoding._encoding import Encoding, fit_encoding
from branchline._encoding._table_encoder import TableEncoder, options_of
from branchline._folds import FoldRows, fold_rows
from branchline._power_of_two import power_of_two_scale
from branchline._validation import ClassTarget, Given, RowWeights, TrainingData, count_threads
from branchline.table import Schema

__all__ = ["ENCODER", "Encoded", "EncodedRows", "encode_training", "power_of_two_scale"]

# The constraint of the parameter ``encoder``, which every encoded learner has.
ENCODER = Given((TableEncoder,), "a TableEncoder")


@dataclass(frozen=True)
class EncodedRows:
    """Training rows as numbers, in canonical order.

    Parameters
    ----------
    matrix
        One row per case, one column a term of the encoding: an array, or a SciPy CSR matrix when
        the table is large and mostly zero. It may have no columns at all. ``EncodedBlocks`` of
        large tables, for learners that take them; rows are then in the order in which they came.
    weights
        The weight of each row, or None when the learner takes no weights.
    canonical
        The rows as they were before encoding, in canonical order.
    encoding
        How the table became the matrix.
    order
        The canonical row that stands at each place of ``matrix`` and ``weights``; None where they
        are in canonical order themselves.
    """

    matrix: Any
    weights: Floats | None
    canonical: TrainingData
    encoding: Encoding
    order: npt.NDArray[np.intp] | None = None

    @cached_property
    def data(self) -> TrainingData:
        """The rows as they were before encoding, in the order of ``matrix``."""
        data = self.canonical
        if self.order is None:
            return data
        units, target = data.weights.units, data.target
        return TrainingData(
            data.table.rows(self.order),
            None if target is None else target.rows(self.order),
            RowWeights(None if units is None else units[self.order], data.weights.unit),
            None if data.row_keys is None else data.row_keys[self.order],
        )

    @cached_property
    def class_target(self) -> ClassTarget:
        """The class of each row; unlike ``data``, it copies no table."""
        target = self.canonical.class_target
        return target if self.order is None else target.rows(self.order)

    @cached_property
    def folds(self) -> FoldRows:
        """The rows, ready to be split into folds."""
        return fold_rows(self.data)

    @property
    def class_of_row(self) -> npt.NDArray[np.uint32]:
        """The index of each row's class."""
        return self.class_target.class_of_row

    @property
    def numbers(self) -> Floats:
        """The target of each row, of one output or several."""
        return self.data.number_target.values


class EncodedLearner(Protocol):
    """What encoding asks a learner: its encoder, and whether it takes weights."""

    encoder: TableEncoder | None
    # Whether equal rows become one row of their summed weight; not for learners without weights.
    _merges_rows: ClassVar[bool]
    # What encodes when the user gives no encoder.
    _default_encoder: ClassVar[TableEncoder]


def encode_training(
    learner: EncodedLearner,
    data: TrainingData,
    *,
    takes_blocks: bool = False,
    in_few_passes: bool = False,
) -> EncodedRows:
    """Learn the encoding of checked training data and apply it.

    A learner that ``takes_blocks`` is given those of a large table, one that goes over them few
    times also those of a smaller one.
    """
    if takes_blocks and is_large(data.table, in_few_passes=in_few_passes):
        return _in_blocks(learner, data)
    # Learners without the parameter are asked for no threads, so they start none.
    n_threads = count_threads(getattr(learner, "n_jobs", 1), data.n_cells)
    rows = canonical_rows(data, merge=learner._merges_rows, n_threads=n_threads)
    weights = rows.weights.of_rows(rows.table.n_rows)
    encoder = learner._default_encoder if learner.encoder is None else learner.encoder
    encoder._check_parameters()
    encoding, matrix = fit_encoding(rows.table, weights, options_of(encoder, rows))
    return EncodedRows(matrix, weights if learner._merges_rows else None, rows, encoding)


def _in_blocks(learner: EncodedLearner, data: TrainingData) -> EncodedRows:
    encoder = learner._default_encoder if learner.encoder is None else learner.encoder
    encoder._check_parameters()
    n_rows = data.table.n_rows
    given = None if data.weights.units is None else data.weights.of_rows(n_rows)
    blocks = fit_in_blocks(data.table, given, options_of(encoder, data))
    weights = np.broadcast_to(1.0, n_rows) if given is None else given
    return EncodedRows(blocks, weights, data, blocks.encoding)


class Encoded(Predictor):
    """A learner on numbers that takes any table."""

    encoder: TableEncoder | None
    encoding_: Encoding
    _merges_rows: ClassVar[bool] = True
    _default_encoder: ClassVar[TableEncoder] = TableEncoder()
    _copies_of_columns_count = True

    def _encode_training(self, data: TrainingData) -> EncodedRows:
        """Learn the encoding of checked training data and apply it."""
        return encode_training(self, data)

    def _encode_rows(self, X: Any) -> Any:
        """Return the matrix of rows to predict."""
        rows = self._check_rows(X)
        return self.encoding_.encode(rows.table)

    def _pack_encoding(self) -> dict[str, Any]:
        return dict(self.encoding_.pack())

    @staticmethod
    def _unpack_encoding(state: FittedState, schema: Schema) -> Encoding:
        return Encoding.unpack(state.get("encoding"), schema)
