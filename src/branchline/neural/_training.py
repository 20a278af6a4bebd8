"""Training one network; scikit-learn does the descent, we decide when it ends.

1. "lbfgs" makes the loss least with all rows at once; "adam" takes a step for each batch of rows.
   The loss is the squared error or the log-loss of a row, plus α / (2 n) times the sum of squared
   weights. Starting weights come from the seed.
2. Without early stopping the descent ends when the loss no longer falls by ``tol``.
3. With early stopping it goes on in stretches (an epoch, or ten steps of lbfgs) until the loss of
   held-out rows has not improved for ``patience`` of them; the best weights are kept.
4. Training uses one thread of linear algebra: layers are small, and sums then have the same bits
   whatever the number of cores.
"""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

from branchline._arrays import Floats
from branchline._folds import FoldRows, Mask
from branchline._one_thread import limit_threads
from branchline.errors import ParameterError, Repair
from branchline.neural._net import Net

__all__ = ["Recipe", "Task", "TrainedNet", "quiet_descent", "train_net"]

_STRETCH = 10  # steps of lbfgs between two looks at the held-out rows
_BATCH = 200
FEWEST_ROWS = 10  # fewer are not split
_SEEDS = 2**32  # what scikit-learn takes


@dataclass(frozen=True)
class Recipe:
    """How networks are trained: the parameters of an estimator, all chosen."""

    hidden_layer_sizes: tuple[int, ...]
    activation: str
    solver: str
    alpha: float
    learning_rate: float
    batch_size: int | str
    max_iter: int
    tol: float
    patience: int
    validation_fraction: float | None  # None: no early stopping


@dataclass(frozen=True, eq=False)
class TrainedNet:
    """A network and how its training went.

    Parameters
    ----------
    net
        The weights.
    n_iter
        The epochs of adam, or steps of lbfgs, that were made.
    loss_curve
        The training loss, after each stretch.
    validation_curve
        The loss of the held-out rows after each stretch; empty without early stopping.
    is_finished
        Whether the descent ended by itself, before ``max_iter``.
    """

    net: Net
    n_iter: int
    loss_curve: Floats
    validation_curve: Floats
    is_finished: bool = True


class Task(Protocol):
    """What is learned: classes or numbers."""

    @property
    def folds(self) -> FoldRows:
        """The rows, ready to be split into folds."""

    def part(self, rows: Mask) -> "Task":
        """Return the task of some rows alone."""

    def descent(self, **options: Any) -> Any:
        """Return scikit-learn's unfitted network."""

    def targets(self, rows: Any) -> Any:
        """Return the targets of some rows as scikit-learn takes them."""

    def epoch(self, descent: Any, matrix: Any, targets: Any) -> None:
        """Go once through the rows."""

    def loss(self, outputs: Floats, rows: Mask) -> float:
        """Return the mean loss of some rows, given the last layer's sums."""


@contextmanager
def quiet_descent() -> Iterator[None]:
    """Run scikit-learn's descents on one thread; its warnings become ours, or errors.

    It takes Ctrl-C as a wish to stop early and only warns: here Ctrl-C stays Ctrl-C.
    """
    # Inputs were checked before; checking them in every epoch would take most of the time.
    trusting = config_context(assume_finite=True, skip_parameter_validation=True)
    with trusting, limit_threads("blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="Training interrupted", category=UserWarning)
        try:
            yield
        except UserWarning as interrupted:
            raise KeyboardInterrupt from interrupted
        except ValueError as error:
            if "non-finite" in str(error):
                raise _diverged() from error
            raise


def train_net(matrix: Any, task: Task, recipe: Recipe, seed: int, turn: int = 0) -> TrainedNet:
    """Train network number ``turn`` of several, which differ in seed and in the rows held out."""
    fraction = recipe.validation_fraction
    held = None if fraction is None else _held_out(task, fraction, turn)
    n_rows = matrix.shape[0] if held is None else int((~held).sum())
    batch = min(_BATCH if recipe.batch_size == "auto" else int(recipe.batch_size), n_rows)
    # scikit-learn divides the decay by the rows of a batch; by all rows it means the same to both.
    share = batch / n_rows if recipe.solver == "adam" else 1.0
    descent = task.descent(
        hidden_layer_sizes=recipe.hidden_layer_sizes,
        activation=recipe.activation,
        solver=recipe.solver,
        alpha=recipe.alpha * share,
        learning_rate_init=recipe.learning_rate,
        batch_size=batch,
        max_iter=recipe.max_iter,
        max_fun=20 * recipe.max_iter,
        tol=recipe.tol,
        n_iter_no_change=recipe.patience,
        # An object, not a number: each epoch goes on drawing where the last one stopped.
        random_state=np.random.RandomState((seed + turn) % _SEEDS),
    )
    if held is None:
        trained = _train_to_the_end(descent, matrix, task)
    else:
        trained = _train_and_watch(descent, matrix, task, recipe, held)
    sound = trained.net.is_sound and np.isfinite(trained.loss_curve).all()
    if not sound:
        raise _diverged()
    return trained


def _held_out(task: Task, fraction: float, turn: int) -> Mask | None:
    """Return which rows network number ``turn`` holds out; None when there are too few rows."""
    if task.folds.n_rows < FEWEST_ROWS:
        return None
    fold = task.folds.hold_out(fraction, turn=turn)
    return None if fold is None else fold.test > 0


def _train_to_the_end(descent: Any, matrix: Any, task: Task) -> TrainedNet:
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=ConvergenceWarning)
        descent.fit(matrix, task.targets(slice(None)))
    n_iter = int(descent.n_iter_)
    # lbfgs also complains when rounding lets it go no further: nothing is left to do then.
    is_finished = not caught or n_iter < descent.max_iter
    losses = getattr(descent, "loss_curve_", [descent.loss_])
    return TrainedNet(_net_of(descent), n_iter, np.array(losses), np.zeros(0), is_finished)


@dataclass
class _Watch:
    """The losses seen so far, and the best network.

    ``mark`` is the held-out loss that must be undercut by ``tol`` to be counted as progress.
    """

    tol: float
    losses: list[float] = field(default_factory=list)
    held_losses: list[float] = field(default_factory=list)
    best: Net | None = None
    n_iter: int = 0
    mark: float = math.inf
    since_mark: int = 0

    def see(self, descent: Any, held_loss: float, steps: int) -> None:
        """Note a stretch; its network is the best when its held-out loss is the least so far."""
        if self.best is None or held_loss < min(self.held_losses):
            self.best = _net_of(descent)
        is_progress = held_loss < self.mark - self.tol
        self.mark = held_loss if is_progress else self.mark
        self.since_mark = 0 if is_progress else self.since_mark + 1
        self.losses.append(float(descent.loss_))
        self.held_losses.append(held_loss)
        self.n_iter += steps


def _train_and_watch(
    descent: Any, matrix: Any, task: Task, recipe: Recipe, held: Mask
) -> TrainedNet:
    seen, watched = matrix[~held], matrix[held]
    targets = task.targets(~held)
    advance = _ADVANCE[recipe.solver]
    watch, at_rest = _Watch(recipe.tol), False
    while watch.n_iter < recipe.max_iter and watch.since_mark < recipe.patience and not at_rest:
        allowed = recipe.max_iter - watch.n_iter
        steps, at_rest = advance(descent, task, seen, targets, allowed)
        outputs = _net_of(descent).outputs(watched)
        watch.see(descent, task.loss(outputs, held), steps)
    is_finished = at_rest or watch.since_mark >= recipe.patience
    assert watch.best is not None
    curves = np.array(watch.losses), np.array(watch.held_losses)
    return TrainedNet(watch.best, watch.n_iter, *curves, is_finished)


def _epoch(descent: Any, task: Task, matrix: Any, targets: Any, _allowed: int) -> tuple[int, bool]:
    """Go once through the rows."""
    task.epoch(descent, matrix, targets)
    return 1, False


def _some_steps(
    descent: Any, _task: Task, matrix: Any, targets: Any, allowed: int
) -> tuple[int, bool]:
    """Make a few steps of lbfgs from where the last ones ended; return whether it converged."""
    stretch = min(_STRETCH, allowed)
    descent.set_params(warm_start=True, max_iter=stretch).fit(matrix, targets)
    steps = int(descent.n_iter_)
    return max(1, steps), steps < stretch


_ADVANCE = {"adam": _epoch, "lbfgs": _some_steps}


def _net_of(descent: Any) -> Net:
    weights = tuple(np.array(weight, dtype=np.float64) for weight in descent.coefs_)
    biases = tuple(np.array(bias, dtype=np.float64) for bias in descent.intercepts_)
    return Net(weights, biases, descent.activation)


def _diverged() -> ParameterError:
    return ParameterError(
        "The training of the network diverged: its weights grew beyond all bounds.",
        code="P070",
        repair=Repair("model.set_params(learning_rate=0.001, solver='auto')"),
    )
