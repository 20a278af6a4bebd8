"""An auto-encoder: a network that compresses each row to a few numbers and restores it.

1. The table is encoded as a row z of scaled numbers and indicators (``branchline.encoding``).
2. A network with a narrow layer in the middle is trained to give z back: z → … → c → … → ẑ, with
   the mean of (z − ẑ)² + α / (2 n) Σ w² least. Layers before and after c mirror each other.
3. The code c is what ``transform`` returns; (z − ẑ)² tells how unusual a row is.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._encoding._encoding import Encoding, fit_encoding
from branchline._encoding._table_encoder import options_of
from branchline._encoding._term_order import term_order
from branchline._folds import fold_rows
from branchline._memory import refuse_over_budget
from branchline._state import malformed
from branchline._validation import Constraint, Real, TrainingData, Whole, check_seed
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError, Repair
from branchline.neural._net import Net
from branchline.neural._parameters import SHARED, LayerSizes
from branchline.neural._perceptron import warn_unfinished
from branchline.neural._recipe import recipe_of
from branchline.neural._tasks import NumberTask
from branchline.neural._trained_state import pack_trained, trained_from_state
from branchline.neural._training import TrainedNet, quiet_descent, train_net
from branchline.table import Schema

__all__ = ["AutoEncoder"]


class AutoEncoder(Transformer):
    """Compress each row of a table to a few numbers, and find rows that are unlike the others.

    A network learns to reproduce the table through a narrow layer. The values of that layer, the
    code, summarize the row: they can be plotted, or be the input of other learners. Rows that are
    reproduced badly (``reconstruction_error``) do not follow the pattern of the others.

    Parameters
    ----------
    n_components
        Number of values in the code of a row. Two can be plotted; more lose less. Default 2.
    hidden_layer_sizes
        Number of units of each layer between the row and its code; the same layers, mirrored, lead
        back. (): none, which with activation="identity" spans the principal components.
        Default: none.
    activation
        Activation function of all units, those of the code included: "tanh" (default), "logistic",
        "relu" or "identity".
    alpha
        Strength of the L2 penalty on the weights: larger values give smoother codes that lose more.
        Default 0.01.
    solver
        "lbfgs" (all rows in each step), "adam" (a step for each batch), or "auto" (default):
        "lbfgs" up to 100 000 rows, then "adam".
    learning_rate
        Step size of adam. Default 0.003.
    batch_size
        Number of rows in each step of adam; "auto" (default): 200.
    max_iter
        Maximum number of epochs of adam, or of steps of lbfgs. Reaching it gives a warning.
        Default 2000.
    tol
        Training ends when the loss improves by less than this. A larger value ends sooner.
        Default 0.0001.
    early_stopping
        Hold out validation rows, and stop when they are no longer reproduced better. With fewer
        than ten rows nothing is held out. Default False.
    validation_fraction
        Share of rows that early stopping holds out. Default 0.15.
    patience
        Number of epochs (or tens of lbfgs steps) without improvement after which training ends.
        Default 10.
    random_state
        Seed for the starting weights and the batches. Default 0.
    encoder
        How the table becomes numbers; None (default): ``TableEncoder()``.

    Attributes
    ----------
    trained_
        The network (``trained_.net``), and how its training went.
    n_iter_
        Number of epochs or steps.
    encoding_
        How the table becomes numbers; its ``terms`` say what ``inverse_transform`` returns.

    See Also
    --------
    PCA : turn each row of any table into a few numbers that keep most of what differs between rows.
    KernelPCA : turn each row of any table into a few numbers that keep most of a kernel's variance.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neural import AutoEncoder
    >>> X, y = load_dataset("iris").split_target("species")
    >>> packer = AutoEncoder(n_components=2).fit(X)
    >>> packer.transform(X).shape
    (150, 2)
    >>> round(float(packer.reconstruction_error(X).mean()), 2)
    0.04
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": Whole(1, 100_000),
        "hidden_layer_sizes": LayerSizes(fewest=0),
        "alpha": Real(0.0),
        **SHARED,
    }
    _copies_of_columns_count = True
    # Products of matrices are added up in an order that depends on how many rows there are.
    _tolerance = 1e-9
    trained_: TrainedNet
    encoding_: Encoding

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_components: int = 2,
        hidden_layer_sizes: tuple[int, ...] = (),
        activation: str = "tanh",
        alpha: float = 0.01,
        solver: str = "auto",
        learning_rate: float = 0.003,
        batch_size: int | str = "auto",
        max_iter: int = 2000,
        tol: float = 1e-4,
        early_stopping: bool = False,
        validation_fraction: float = 0.15,
        patience: int = 10,
        random_state: Any = 0,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.alpha = alpha
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.encoder = encoder

    @reports_progress
    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the network to give rows back; ``y`` is ignored."""
        data = self._begin_inputs(X, None)
        rows = canonical_rows(data, merge=False)
        encoder = TableEncoder() if self.encoder is None else self.encoder
        encoder._check_parameters()
        weights = rows.weights.of_rows(rows.table.n_rows)
        encoding, matrix = fit_encoding(rows.table, weights, options_of(encoder, rows))
        return self._finish(data, encoding_=encoding, trained_=self._train(matrix, rows, encoding))

    def transform(self, X: Any) -> Floats:
        """Return the code of each row: ``n_components`` numbers."""
        matrix = self._encode(X)
        return self.trained_.net.between(matrix, 0, self._n_halves)

    def inverse_transform(self, codes: Any) -> Floats:
        """Return the encoded rows that codes stand for; ``encoding_.terms`` names the columns."""
        self._check_fitted()
        net = self.trained_.net
        codes = _checked_codes(codes, net.layer_sizes[self._n_halves])
        return net.between(codes, self._n_halves, len(net.weights))

    def reconstruction_error(self, X: Any) -> Floats:
        """Return how badly each row is reproduced: the mean of (z − ẑ)² over its encoded numbers.

        Rows far above the others are unusual: a mistake, or something worth a look.
        """
        matrix = self._encode(X)
        if matrix.shape[1] == 0:
            return np.zeros(matrix.shape[0])
        rebuilt = self.trained_.net.outputs(matrix)
        difference = np.asarray(_dense(matrix) - rebuilt)
        return np.asarray((difference**2).mean(axis=1))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each number of the code: "code0", "code1" and so on."""
        self._check_fitted()
        width = self.trained_.net.layer_sizes[self._n_halves]
        return np.array([f"code{at}" for at in range(width)], dtype=object)

    @property
    def n_iter_(self) -> int:
        """The epochs of adam, or steps of lbfgs."""
        self._check_fitted()
        return self.trained_.n_iter

    # -- inside ---------------------------------------------------------------------------------

    @property
    def _n_halves(self) -> int:
        """The number of layers up to the code, and again from it."""
        return len(self.trained_.net.weights) // 2

    def _encode(self, X: Any) -> Any:
        rows = self._check_rows(X)
        return self.encoding_.encode(rows.table)

    def _train(self, matrix: Any, rows: TrainingData, encoding: Encoding) -> TrainedNet:
        side = tuple(int(size) for size in self.hidden_layer_sizes)
        layers = (*side, int(self.n_components), *reversed(side))
        if matrix.shape[1] == 0:  # nothing varies, so there is nothing to tell
            net = _empty_net(layers, self.activation)
            return TrainedNet(net, 1, np.zeros(0), np.zeros(0))
        recipe = recipe_of(self, matrix.shape[0])
        recipe = replace(recipe, hidden_layer_sizes=layers, alpha=float(self.alpha))
        # weights do not depend on the order of columns
        order = term_order(matrix, names=encoding.term_names)
        matrix = matrix[:, order]
        task = NumberTask(_dense(matrix), fold_rows(rows))
        with quiet_descent():
            trained = train_net(matrix, task, recipe, check_seed(self.random_state))
        warn_unfinished(type(self).__name__, (trained,), recipe)
        return replace(trained, net=trained.net.restored(order, outputs=True))

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self.trained_.net.n_weights), "weights")

    def _pack(self) -> FittedState:
        return {"encoding": dict(self.encoding_.pack()), "trained": pack_trained(self.trained_)}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        encoding = Encoding.unpack(state.get("encoding"), schema)
        packed = state.get("trained")
        if not isinstance(packed, Mapping):
            raise malformed("the network is absent")
        (trained,) = trained_from_state([packed], encoding.width, encoding.width)
        sizes = trained.net.layer_sizes
        if len(sizes) % 2 == 0 or sizes != sizes[::-1]:
            raise malformed("the layers of the network do not mirror each other")
        return {"encoding_": encoding, "trained_": trained}


def _dense(matrix: Any) -> Floats:
    if not sparse.issparse(matrix):
        dense: Floats = np.asarray(matrix)
        return dense
    refuse_over_budget(8 * matrix.shape[0] * matrix.shape[1], "the table to reproduce")
    return np.asarray(matrix.toarray())


def _empty_net(layers: tuple[int, ...], activation: str) -> Net:
    sizes = (0, *layers, 0)
    weights = tuple(np.zeros(pair) for pair in pairwise(sizes))
    return Net(weights, tuple(np.zeros(size) for size in sizes[1:]), activation)


def _checked_codes(codes: Any, width: int) -> Floats:
    try:
        numbers = np.asarray(codes, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(())
    if numbers.ndim != 2 or numbers.shape[1] != width or not np.isfinite(numbers).all():
        raise ParameterError(
            f"Codes must be a table of finite numbers with {width} columns, as transform returns.",
            code="P071",
            repair=Repair("codes = model.transform(X)\nmodel.inverse_transform(codes)"),
        )
    return numbers
