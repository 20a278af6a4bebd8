"""What models of outputs with a kernel share: the door, weights, nearest outputs, scores, files."""

from typing import Any, ClassVar

import numpy as np

from branchline._arrays import AnyArray, Floats, Places
from branchline._base import Estimator, FittedState
from branchline._canonical_rows import canonical_rows
from branchline._result_frame import Library, result_frame
from branchline._state import malformed
from branchline._validation import (
    AnyOf,
    Constraint,
    NumberTarget,
    OneOf,
    TrainingData,
    Whole,
    check_training_inputs,
)
from branchline.errors import ParameterError, Repair
from branchline.kernels import Kernel
from branchline.kernels._kernel_of import KERNEL_NAMES
from branchline.outputs._given_outputs import given_outputs, rows_or_texts
from branchline.outputs._kernel_output_scores import KernelOutputScores, Tested, scores_of_tested
from branchline.outputs._output_space import OutputSpace, read_output_space
from branchline.table import Table

__all__ = ["OUTPUT_PARAMETERS", "KernelOutputs", "merged_rows"]


class _KernelOfOutputs:
    """The constraint of a kernel of outputs that is not a name."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a kernel, or can be called and is not a class."""
        return not isinstance(value, type) and (isinstance(value, Kernel) or callable(value))

    def describe(self) -> str:
        """Say what it may be."""
        return "a kernel such as Spectrum(), or a function of two blocks of outputs"


OUTPUT_PARAMETERS: dict[str, Constraint] = {
    "output_kernel": AnyOf((OneOf(KERNEL_NAMES), _KernelOfOutputs())),
    "n_components": AnyOf((OneOf((None,)), Whole(1))),
}


class KernelOutputs(Estimator):
    """A model whose prediction is a weight for each training output."""

    _opposite = None
    _task = None
    _constraints: ClassVar[dict[str, Constraint]] = {}
    output_kernel: Any
    n_components: int | None
    _space: OutputSpace
    _mean: Floats
    _n_train: int

    @property
    def candidates_(self) -> Table:
        """The different training outputs; of a given Gram matrix, their rows in it."""
        return self._space.candidates

    def _begin_outputs(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[TrainingData, OutputSpace, Places]:
        """Check a table and its outputs; rows of weight 0 are left out."""
        self._start(X, y)
        data = check_training_inputs(rows_or_texts(X), sample_weight)
        n_rows = data.table.n_rows if data.kept is None else len(data.kept)
        owner = type(self).__name__
        space, of_row = read_output_space(y, n_rows, data.kept, self.output_kernel, owner)
        return data, space, of_row

    def _about(self, data: TrainingData, space: OutputSpace, of_row: Places) -> dict[str, Any]:
        """Return the fitted attributes that every such model has."""
        weights = data.weights.of_rows(data.table.n_rows)
        mean = np.bincount(of_row, weights, len(space))
        n_train = int(data.table.n_rows)
        return {"_space": space, "_mean": mean / mean.sum(), "_n_train": n_train}

    def _weights_of(self, X: Any) -> Floats:
        """Return the weights of rows, which are checked first."""
        raise NotImplementedError

    # -- predicting -------------------------------------------------------------------------------

    def predict_weights(self, X: Any) -> Floats:
        """Return for each row its weights over ``candidates_``, a column for each of them.

        The prediction in the kernel's space is their weighted sum.
        """
        self._check_fitted()
        return self._weights_of(X)

    def _nearest(self, X: Any) -> list[AnyArray]:
        self._check_fitted()
        best = self._space.nearest(self.predict_weights(X))
        return [column.to_numpy()[best] for column in self.candidates_.columns]

    def predict(self, X: Any) -> AnyArray:
        """Return the training output nearest to the prediction in the kernel's space.

        Outputs of one column are an array of one dimension, others have a row for each row of X.
        With a given Gram matrix, outputs are the numbers of its rows, from 0 on.
        """
        columns = self._nearest(X)
        if len(columns) == 1:
            return columns[0]
        if len({column.dtype.kind for column in columns}) == 1:
            return np.column_stack(columns)
        found = np.empty((len(columns[0]), len(columns)), dtype=object)
        for at, column in enumerate(columns):
            found[:, at] = column.tolist()
        return found

    def to_frame(self, X: Any, library: Library = "pandas") -> Any:
        """Return the predicted outputs as a frame."""
        columns = self._nearest(X)
        return result_frame(dict(zip(self.candidates_.names, columns, strict=True)), library)

    def evaluate(self, X: Any, y: Any) -> KernelOutputScores:
        """Return how far predictions are from the outputs of new rows, with intervals."""
        self._check_fitted()
        if self._space.given is not None:
            raise ParameterError(
                "The kernel of new outputs is not known to a model that was fitted on a given Gram "
                "matrix. Assess it by cross-validation.",
                code="P881",
                repair=Repair(
                    "from branchline.outputs import cross_validate_kernel_outputs\n"
                    "cross_validate_kernel_outputs(model, X, y, n_folds=3)"
                ),
            )
        weights = self._weights_of(X)
        table = given_outputs(y, len(weights), type(self).__name__, is_gram=False)
        points = self._space.kernel.prepare(table)
        products = self._space.kernel.gram(points, self._space.points)
        squares, places = self._space.kernel.diag(points), self._space.places_of(table)
        tested = self._tested(weights, products, squares, places)
        return scores_of_tested(tested, self._n_train)

    def _tested(self, weights: Floats, products: Floats, squares: Floats, places: Places) -> Tested:
        """Return what is known of rows of which the output is known, too."""
        space = self._space
        mean = np.broadcast_to(self._mean, weights.shape)
        return Tested(
            space.distances(weights, products, squares),
            space.distances(mean, products, squares),
            space.nearest(weights) == places,
        )

    def score(self, X: Any, y: Any) -> float:
        """Return the share of the outputs' variance in the kernel's space that is predicted."""
        return self.evaluate(X, y).explained.estimate

    # -- saving -----------------------------------------------------------------------------------

    def _pack_about(self) -> dict[str, Any]:
        return {"space": self._space.pack(), "mean": self._mean, "n_train": self._n_train}

    @staticmethod
    def _unpack_about(state: FittedState) -> dict[str, Any]:
        space, n_train, mean = OutputSpace.unpack(state.get("space")), state.get("n_train"), None
        if type(n_train) is not int or not 1 <= n_train < 2**53:
            raise malformed("the number of training rows is wrong")
        mean = checked_weights(state.get("mean"), len(space))
        return {"_space": space, "_mean": mean, "_n_train": n_train}


def checked_weights(values: Any, length: int) -> Floats:
    """Return packed weights: not negative, with a sum of 1."""
    is_row = isinstance(values, np.ndarray) and values.dtype == np.float64
    if not is_row or values.shape != (length,) or not (values >= 0).all():
        raise malformed("the weights of the outputs are not weights")
    if not abs(float(values.sum()) - 1) <= 1e-6:
        raise malformed("the weights of the outputs have another sum than 1")
    found: Floats = values
    return found


def merged_rows(data: TrainingData, of_row: Places) -> tuple[TrainingData, Places]:
    """Return the rows in an order of their own, equal ones merged, and the output of each."""
    target = NumberTarget(of_row.astype(np.float64)[:, None])
    rows = canonical_rows(TrainingData(data.table, target, data.weights), merge=True)
    return rows, rows.number_target.matrix[:, 0].astype(np.intp)
