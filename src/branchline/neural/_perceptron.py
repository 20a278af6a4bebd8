"""What networks that predict share: training several, reading them, keeping them in a file.

1. The table is encoded (``branchline.encoding``), rows in canonical order; rows have no weights.
2. Layers and decay are chosen by cross-validation where asked for (``_choosing``).
3. ``n_restarts`` networks are trained from different starting weights (``_training``); predictions
   are averaged.
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState
from branchline._encoding._encoded import Encoded, EncodedRows
from branchline._encoding._term_order import term_order
from branchline._plain_numbers import count, number
from branchline._state import malformed, number_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole, check_seed
from branchline._warn import warn
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning
from branchline.neural._choosing import USUAL_LAYERS, Choice, Chooser, choices_from_state
from branchline.neural._net import constant_net
from branchline.neural._parameters import SHARED, LayerSizes
from branchline.neural._recipe import recipe_of
from branchline.neural._trained_state import pack_trained, trained_from_state
from branchline.neural._training import Recipe, Task, TrainedNet, quiet_descent, train_net

__all__ = ["Perceptron", "warn_unfinished"]


class Perceptron(Encoded):
    """Shared by classifier and regressor."""

    _constraints: ClassVar[dict[str, Constraint]] = {
        "hidden_layer_sizes": AnyOf((OneOf(("auto",)), LayerSizes())),
        "alpha": AnyOf((OneOf(("auto",)), Real(0.0))),
        "n_restarts": Whole(1),
        **SHARED,
    }
    # Products of matrices are added up in an order that depends on how many rows there are.
    _tolerance = 1e-9
    _merges_rows = False
    # The decay when there are too few rows to choose one.
    _usual_alpha: ClassVar[float]

    nets_: tuple[TrainedNet, ...]
    alpha_: float
    choices_: tuple[Choice, ...]

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        hidden_layer_sizes: tuple[int, ...] | str = (10,),
        activation: str = "tanh",
        alpha: float | str = 1.0,
        solver: str = "auto",
        learning_rate: float = 0.003,
        batch_size: int | str = "auto",
        max_iter: int = 2000,
        tol: float = 1e-4,
        early_stopping: bool = False,
        validation_fraction: float = 0.15,
        patience: int = 10,
        n_restarts: int = 1,
        random_state: Any = 0,
        encoder: TableEncoder | None = None,
    ) -> None:
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
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.encoder = encoder

    # -- fitting --------------------------------------------------------------------------------

    def _train(self, rows: EncodedRows, task: Task | None, n_outputs: int) -> dict[str, Any]:
        """Return the fitted attributes; without a task (nothing to learn) outputs are all 0."""
        recipe, seed = self._first_recipe(rows.matrix.shape[0]), check_seed(self.random_state)
        choices: tuple[Choice, ...] = ()
        if task is None or rows.encoding.width == 0:
            bias = self._constant_outputs(rows, n_outputs)
            net = constant_net(rows.encoding.width, bias, recipe.activation)
            nets: tuple[TrainedNet, ...] = (TrainedNet(net, 1, np.zeros(0), np.zeros(0)),)
        else:
            # Starting weights are drawn for terms in an order of their own, not that of columns.
            order = term_order(rows.matrix, names=rows.encoding.term_names)
            matrix = rows.matrix[:, order]
            with quiet_descent():
                chooser = Chooser(matrix, task, seed)
                asked = {"layers": self.hidden_layer_sizes == "auto", "alpha": self.alpha == "auto"}
                recipe, choices = chooser.choose(recipe, **asked)
                turns = range(int(self.n_restarts))
                nets = tuple(train_net(matrix, task, recipe, seed, turn) for turn in turns)
            nets = tuple(replace(one, net=one.net.restored(order)) for one in nets)
            warn_unfinished(type(self).__name__, nets, recipe)
        about = {"alpha_": recipe.alpha, "choices_": choices}
        return {"encoding_": rows.encoding, "nets_": nets, **about}

    def _first_recipe(self, n_rows: int) -> Recipe:
        recipe = recipe_of(self, n_rows)
        sizes, alpha = self.hidden_layer_sizes, self.alpha
        return replace(
            recipe,
            hidden_layer_sizes=USUAL_LAYERS if isinstance(sizes, str) else tuple(map(int, sizes)),
            alpha=self._usual_alpha if isinstance(alpha, str) else float(alpha),
        )

    def _constant_outputs(self, rows: EncodedRows, n_outputs: int) -> Floats:
        """Return the outputs of a network without any column that varies."""
        return np.zeros(n_outputs)

    # -- reading --------------------------------------------------------------------------------

    @property
    def n_iter_(self) -> int:
        """The epochs of adam, or steps of lbfgs; of several networks, the most."""
        self._check_fitted()
        return max(trained.n_iter for trained in self.nets_)

    @property
    def loss_curve_(self) -> list[Floats]:
        """For each network its training losses: after each epoch, or stretch of steps."""
        self._check_fitted()
        return [trained.loss_curve for trained in self.nets_]

    @property
    def validation_curve_(self) -> list[Floats]:
        """For each network the losses of its held-out rows; empty without early stopping."""
        self._check_fitted()
        return [trained.validation_curve for trained in self.nets_]

    @property
    def hidden_layer_sizes_(self) -> tuple[int, ...]:
        """The units of each hidden layer, as given or chosen; none for a constant model."""
        self._check_fitted()
        return self.nets_[0].net.layer_sizes[1:-1]

    def to_text(self) -> str:
        """Return the model as text: its layers, and a line for each network's training."""
        self._check_fitted()
        net = self.nets_[0].net
        hidden = [f"{size} {net.activation}" for size in net.layer_sizes[1:-1]]
        n_inputs, n_outputs = net.layer_sizes[0], net.layer_sizes[-1]
        layers = " → ".join([f"{n_inputs} inputs", *hidden, _count(n_outputs, "output")])
        lines = [
            f"{_count(len(self.nets_), 'network')} of {layers}",
            f"{count(net.n_weights, 'weight')} each, decay {number(self.alpha_)}",
            "network   steps   training loss   held-out loss",
        ]
        lines += [_line(at, trained) for at, trained in enumerate(self.nets_, start=1)]
        for choice in self.choices_:
            sizes = "-".join(map(str, choice.hidden_layer_sizes))
            lines.append(
                f"tried: {sizes} units, decay {number(choice.alpha)}: loss {number(choice.loss)}"
            )
        return "\n".join(lines)

    def _complexity(self) -> Complexity:
        return Complexity(sum(trained.net.n_weights for trained in self.nets_), "weights")

    # -- saving ---------------------------------------------------------------------------------

    def _pack_nets(self) -> dict[str, Any]:
        return {
            "encoding": self._pack_encoding(),
            "nets": [pack_trained(trained) for trained in self.nets_],
            "alpha": self.alpha_,
            "choices": [choice.pack() for choice in self.choices_],
        }

    def _unpack_nets(self, state: FittedState, schema: Any, n_outputs: int) -> dict[str, Any]:
        encoding = self._unpack_encoding(state, schema)
        nets = trained_from_state(state.get("nets"), encoding.width, n_outputs)
        alpha = number_from_state(state, "alpha")
        if alpha < 0:
            raise malformed("the decay of weights is negative")
        choices = choices_from_state(state.get("choices"))
        return {"encoding_": encoding, "nets_": nets, "alpha_": alpha, "choices_": choices}


def warn_unfinished(owner: str, nets: tuple[TrainedNet, ...], recipe: Recipe) -> None:
    """Warn when a network could still have become better."""
    n_unfinished = sum(not trained.is_finished for trained in nets)
    if n_unfinished:
        which = "its training" if len(nets) == 1 else f"the training of {n_unfinished} networks"
        warn(
            f"{owner}: {which} was still making progress after "
            f"max_iter={recipe.max_iter}. Set a larger max_iter, a larger alpha, or a larger tol.",
            BranchlineWarning,
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _line(at: int, trained: TrainedNet) -> str:
    loss = number(trained.loss_curve[-1]) if len(trained.loss_curve) else "–"
    held = number(trained.validation_curve.min()) if len(trained.validation_curve) else "–"
    return f"{at:>7} {trained.n_iter:>7} {loss:>15} {held:>15}"
