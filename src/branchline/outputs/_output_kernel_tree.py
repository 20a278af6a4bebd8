"""Trees for outputs of any kind: they lower the variance in the space of a kernel of outputs.

1. The Gram matrix of the different outputs is factored, K = Z Zᵀ (``_output_space``).
2. A regression tree of all columns of Z is grown: its variance is that in the kernel's space.
3. A leaf keeps the weights of its training outputs. Its prediction is their weighted mean in the
   kernel's space; the output that stands for it is the nearest training output.
4. Forest: the weights of many trees are averaged.

Geurts, Wehenkel and d'Alché-Buc (2006), Kernelizing the output of tree-based methods.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats, Places
from branchline._base import Complexity, FittedState, reports_progress
from branchline._codes import fit_codes
from branchline._dtypes import UNITS
from branchline._member_state import member_from_state, member_to_state
from branchline._plain_numbers import count
from branchline._random import key_rows
from branchline._state import malformed
from branchline._validation import (
    Constraint,
    Given,
    NumberTarget,
    OneOf,
    TrainingData,
    Whole,
    check_seed,
)
from branchline.errors import ParameterError, Repair
from branchline.forest import ExtraTreesRegressor
from branchline.outputs._kernel_outputs import OUTPUT_PARAMETERS, KernelOutputs, merged_rows
from branchline.outputs._leaf_weights import (
    leaves_of,
    node_counts,
    one_of_each,
    pack_leaf_weights,
    shares_of,
    summed_weights,
    unpack_leaf_weights,
)
from branchline.outputs._multi_output_forest import _conditions, _drawn, _grown
from branchline.table import Schema
from branchline.tree import DecisionTreeRegressor

__all__ = ["OutputKernelForest", "OutputKernelTree"]


_Grown = tuple[list[Any], list[Any]]  # trees, and the weights of their nodes


class _KernelTrees(KernelOutputs):
    """What a tree and a forest share."""

    members_: list[Any]
    _leaves: list[Any]

    def _weights_of(self, X: Any) -> Floats:
        rows = self._check_rows(X).table
        shares = [share for member in self.members_ for share in shares_of(member, rows)]
        return summed_weights(shares, self._leaves, self._mean)

    def _complexity(self) -> Complexity:
        return Complexity(sum(one.complexity().count for one in self.members_), "leaves")

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        members = [member_to_state(member) for member in self.members_]
        leaves = [pack_leaf_weights(one) for one in self._leaves]
        return {**self._pack_about(), "members": members, "leaves": leaves}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        about, packed, leaves = self._unpack_about(state), state.get("members"), state.get("leaves")
        if not isinstance(packed, list) or not packed or not isinstance(leaves, list):
            raise malformed("there is no tree")
        members = [member_from_state(one, schema, None) for one in packed]
        for member in members:
            if not isinstance(member, DecisionTreeRegressor | ExtraTreesRegressor):
                raise malformed("a member is not a tree")
        sizes = [size for member in members for size in node_counts(member)]
        if len(sizes) != len(leaves):
            raise malformed("there are not weights for each tree")
        n_outputs = len(about["_space"])
        found = [
            unpack_leaf_weights(one, size, n_outputs)
            for one, size in zip(leaves, sizes, strict=True)
        ]
        return {**about, "members_": members, "_leaves": found}


class OutputKernelTree(_KernelTrees):
    """Predict outputs of any kind that have a kernel, with one decision tree.

    Texts, rankings, histograms, rows of numbers: all that a kernel compares. The tree asks about
    the columns of X so that outputs in a leaf are alike. The prediction is a weight for each
    training output, and the training output that is nearest to their weighted mean.

    For numbers and classes use ``MultiOutputTree``: with a linear kernel it is the same tree, and
    it says what each target is. New outputs, unlike all training outputs, are never predicted.

    Parameters
    ----------
    output_kernel
        The kernel of outputs: "linear" (default), "rbf", "poly", "sigmoid", "laplacian", a kernel
        of ``branchline.kernels``, a function of two blocks of outputs, or "precomputed": y is then
        the Gram matrix of the training outputs. It is fitted to the different outputs.
    n_components
        None (default): all directions of the kernel's space, exactly, for up to 2 000 different
        outputs. A number: that many columns of a pivoted Cholesky factor (a Nyström approximation).
    estimator
        A ``DecisionTreeRegressor`` that says how the tree is grown and pruned; None: with its
        defaults.

    Attributes
    ----------
    candidates_
        The different training outputs, of which one is predicted.
    members_
        The tree, which predicts coordinates in the kernel's space.

    See Also
    --------
    OutputKernelForest : predict outputs of any kind that have a kernel, with many trees.
    OutputKernelRidge : predict outputs of any kind that have a kernel, by kernel ridge regression.

    Examples
    --------
    >>> from branchline.kernels import Spectrum
    >>> from branchline.outputs import OutputKernelTree
    >>> X = {"length": [1.0, 2.0, 3.0, 11.0, 12.0, 13.0]}
    >>> y = ["aab", "aaab", "aaaab", "bbba", "bbbba", "bbba"]
    >>> model = OutputKernelTree(Spectrum(k=2)).fit(X, y)
    >>> str(model.predict({"length": [12.5]})[0])
    'bbba'
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **OUTPUT_PARAMETERS,
        "estimator": Given((DecisionTreeRegressor,), "a DecisionTreeRegressor"),
    }

    def __init__(
        self,
        output_kernel: Any = "linear",
        *,
        n_components: int | None = None,
        estimator: DecisionTreeRegressor | None = None,
    ) -> None:
        self.output_kernel = output_kernel
        self.n_components = n_components
        self.estimator = estimator

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree; ``y`` has an output for each row, or is their Gram matrix."""
        data, space, of_row = self._begin_outputs(X, y, sample_weight)
        tree = self.estimator or DecisionTreeRegressor()
        _refuse_other_criterion(tree)
        about = self._about(data, space, of_row)
        rows, place = merged_rows(data, of_row)
        features = NumberTarget(space.features(self.n_components)[place])
        grown = _grown(tree, TrainingData(rows.table, features, rows.weights))
        leaves = leaves_of(grown, rows, place, len(space))
        return self._finish(data, **about, members_=[grown], _leaves=leaves)

    def to_text(self) -> str:
        """Return a line for each leaf: its conditions, and the output nearest to its mean."""
        self._check_fitted()
        tree, nodes = self.members_[0], self._leaves[0]
        lines = []
        for rule in tree.rules():
            node = one_of_each(np.array([rule.node]), nodes.shape[0])
            weights = summed_weights([node], [nodes], self._mean)
            best = int(self._space.nearest(weights)[0])
            cells = [str(column.to_list()[best]) for column in self.candidates_.columns]
            lines.append(f"{_conditions(rule)}: {', '.join(cells)}")
        return "\n".join(lines)


class OutputKernelForest(_KernelTrees):
    """Predict outputs of any kind that have a kernel, with many trees.

    The weights of the trees are averaged, and the training output nearest to the weighted mean in
    the kernel's space is predicted. It is more accurate than one tree, and cannot be read.

    Parameters
    ----------
    output_kernel
        The kernel of outputs, as in ``OutputKernelTree``. Default "linear".
    n_components
        None (default): all directions of the kernel's space, exactly, for up to 2 000 different
        outputs. A number: that many columns of a pivoted Cholesky factor (a Nyström approximation).
    trees
        "bagged" (default): each tree is grown to the end on rows drawn with replacement. "extra":
        each tree is grown on all rows with random thresholds.
    n_estimators
        Number of trees. Default 50.
    min_samples_leaf
        Minimum number of training rows in a leaf. Larger values average more outputs. Default 1.
    random_state
        The seed of the draws, which depend on the content of rows, not on their order. Default 0.

    Attributes
    ----------
    candidates_
        The different training outputs, of which one is predicted.
    members_
        The trees, which predict coordinates in the kernel's space.

    See Also
    --------
    OutputKernelTree : predict outputs of any kind that have a kernel, with one decision tree.
    OutputKernelRidge : predict outputs of any kind that have a kernel, by kernel ridge regression.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import OutputKernelForest
    >>> X, y = load_dataset("titanic").split_target(["survived", "pclass"])
    >>> model = OutputKernelForest(n_estimators=5).fit(X, y)
    >>> model.predict_weights(X).shape  # six different outputs
    (1309, 6)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **OUTPUT_PARAMETERS,
        "trees": OneOf(("bagged", "extra")),
        "n_estimators": Whole(1, 100_000),
        "min_samples_leaf": Whole(1),
    }

    def __init__(
        self,
        output_kernel: Any = "linear",
        *,
        n_components: int | None = None,
        trees: str = "bagged",
        n_estimators: int = 50,
        min_samples_leaf: int = 1,
        random_state: Any = 0,
    ) -> None:
        self.output_kernel = output_kernel
        self.n_components = n_components
        self.trees = trees
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees; ``y`` has an output for each row, or is their Gram matrix."""
        data, space, of_row = self._begin_outputs(X, y, sample_weight)
        about = self._about(data, space, of_row)
        rows, place = merged_rows(data, of_row)
        features = NumberTarget(space.features(self.n_components)[place])
        whole = TrainingData(rows.table, features, rows.weights)
        grow = self._bagged if self.trees == "bagged" else self._extra
        members, leaves = grow(whole, place, len(space))
        return self._finish(data, **about, members_=members, _leaves=leaves)

    def _extra(self, whole: TrainingData, place: Places, n_outputs: int) -> _Grown:
        """Return one forest of extra-trees, and the weights of all its nodes."""
        forest = ExtraTreesRegressor(
            n_estimators=int(self.n_estimators),
            min_samples_leaf=int(self.min_samples_leaf),
            random_state=self.random_state,
        )
        weights = whole.weights.of_rows(whole.table.n_rows)
        matrix = whole.number_target.matrix
        values = matrix[:, 0] if matrix.shape[1] == 1 else matrix
        forest.fit(whole.table, values, sample_weight=weights)
        return [forest], leaves_of(forest, whole, place, n_outputs)

    def _bagged(self, whole: TrainingData, place: Places, n_outputs: int) -> _Grown:
        """Return trees grown on rows drawn with replacement, and the weights of their nodes."""
        seed = check_seed(self.random_state)
        tree = DecisionTreeRegressor(prune=None, min_samples_leaf=int(self.min_samples_leaf))
        sizes = whole.weights.sizes(whole.table.n_rows).astype(UNITS)
        keyed = key_rows(fit_codes(whole.table), place.astype(np.float64), sizes)
        members, leaves = [], []
        for task in range(int(self.n_estimators)):
            drawn = keyed.bootstrap_counts(seed, task).astype(np.int64)
            part = _drawn(whole, drawn, sizes)
            grown = _grown(tree, part)
            kept = np.flatnonzero(drawn) if drawn.any() else np.arange(len(place))
            members.append(grown)
            leaves += leaves_of(grown, part, place[kept], n_outputs)
        return members, leaves

    def to_text(self) -> str:
        """Return what there is to read: the number of trees, leaves and different outputs."""
        self._check_fitted()
        trees, outputs = count(len(self._leaves), "tree"), count(len(self._space), "output")
        return f"{trees}, {self.complexity()} in all, of {outputs}"


def _refuse_other_criterion(tree: DecisionTreeRegressor) -> None:
    if tree.criterion != "variance":
        raise ParameterError(
            f"criterion={tree.criterion!r} is not a matter of a kernel's space: trees of outputs "
            "with a kernel go by variance.",
            code="P883",
            values=[tree.criterion],
            repair=Repair("model.set_params(estimator__criterion='variance')"),
        )
