"""Ridge regression from a kernel of inputs to outputs of any kind that have a kernel.

1. The features Z of the different outputs are found (``_output_space``).
2. Kernel ridge regression of all columns of Z, with a constant: its exact leave-one-out error, the
   mean squared distance in the space of outputs, chooses α for all columns together.
3. Ridge regression is linear in its targets. The same fit to indicators of the outputs has as its
   predictions the weights over them: Σ_j w_j(x) = 1, and Σ_j w_j(x) z_j is the prediction of Z.
4. The nearest training output stands for the prediction.

Cortes, Mohri and Weston (2005), A general regression technique for learning transductions.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, reports_progress
from branchline._member_state import member_from_state, member_to_state
from branchline._plain_numbers import count, number
from branchline._state import malformed, number_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real, TrainingData
from branchline.outputs._kernel_outputs import OUTPUT_PARAMETERS, KernelOutputs
from branchline.svm import KernelRidge
from branchline.table import Schema

__all__ = ["OutputKernelRidge"]

_INPUT_PARAMETERS = ("kernel", "gamma", "degree", "coef0", "standardize")


class _RidgeOfFeatures(KernelRidge):
    """Kernel ridge regression of coordinates in one space."""

    _in_one_unit = True


class OutputKernelRidge(KernelOutputs):
    """Predict outputs of any kind that have a kernel, by kernel ridge regression.

    Similar rows have similar outputs: one kernel compares rows, another one outputs. It suits
    smooth relations on tables of up to a few thousand rows, and tables of texts. The exact
    leave-one-out error comes with the fit. Trees need no kernel of rows.

    The prediction is a weight for each training output, which may be negative, and the training
    output that is nearest to their weighted sum. New outputs are never predicted.

    Parameters
    ----------
    output_kernel
        The kernel of outputs, as in ``OutputKernelTree``. Default "linear".
    n_components
        None (default): all directions of the kernel's space, exactly, for up to 2 000 different
        outputs. A number: that many columns of a pivoted Cholesky factor (a Nyström approximation).
        It matters for the choice of alpha only.
    alpha
        Strength of the penalty on large weights, on the scale of the eigenvalues of the kernel
        matrix. "auto" (default): the value with the lowest leave-one-out error.
    kernel
        The kernel of rows: "rbf" (default), "linear", "poly", "sigmoid", "laplacian",
        "precomputed", a kernel of ``branchline.kernels``, or a function of two blocks of rows.
    gamma, degree, coef0
        Parameters of kernels of rows by name. Defaults "scale", 3, 0.0.
    standardize
        Whether numbers of rows get mean 0 and standard deviation 1. Default True.

    Attributes
    ----------
    candidates_
        The different training outputs, of which one is predicted.
    alpha_
        α as given or chosen.
    loo_distance_
        The mean squared distance between output and prediction in the space of outputs, when each
        row is left out.

    See Also
    --------
    OutputKernelTree : predict outputs of any kind that have a kernel, with one decision tree.
    OutputKernelForest : predict outputs of any kind that have a kernel, with many trees.

    Examples
    --------
    >>> from branchline.kernels import Spectrum
    >>> from branchline.outputs import OutputKernelRidge
    >>> X = {"length": [1.0, 2.0, 3.0, 11.0, 12.0, 13.0]}
    >>> y = ["aab", "aaab", "aaaab", "bbba", "bbbba", "bbba"]
    >>> model = OutputKernelRidge(Spectrum(k=2)).fit(X, y)
    >>> str(model.predict({"length": [12.5]})[0])
    'bbba'
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **OUTPUT_PARAMETERS,
        **{name: KernelRidge._constraints[name] for name in _INPUT_PARAMETERS},
        "alpha": AnyOf((OneOf(("auto",)), Real(0.0, low_open=True))),
    }
    members_: list[KernelRidge]
    alpha_: float
    loo_distance_: float

    def __init__(
        self,
        output_kernel: Any = "linear",
        *,
        n_components: int | None = None,
        alpha: float | str = "auto",
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
    ) -> None:
        self.output_kernel = output_kernel
        self.n_components = n_components
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose alpha and solve; ``y`` has an output for each row, or is their Gram matrix."""
        data, space, of_row = self._begin_outputs(X, y, sample_weight)
        features = space.features(self.n_components)
        chosen = _fitted(_RidgeOfFeatures, self, data, features[of_row])
        indicators = np.eye(len(space))[of_row]
        member = _fitted(KernelRidge, self, data, indicators, alpha=chosen.alpha_)
        return self._finish(
            data,
            **self._about(data, space, of_row),
            members_=[member],
            alpha_=chosen.alpha_,
            loo_distance_=float(np.sum(chosen.loo_error_)),
        )

    def _weights_of(self, X: Any) -> Floats:
        weights: Floats = self.members_[0].predict(X).reshape(-1, len(self._space))
        return weights

    def to_text(self) -> str:
        """Return the model as text: α, its kernels, and its leave-one-out error."""
        self._check_fitted()
        return (
            f"kernel ridge regression of {count(len(self._space), 'output')}, alpha "
            f"{number(self.alpha_)}, {self.members_[0].kernel_.kernel!r}\n"
            "mean squared distance to the output when each row is left out: "
            f"{number(self.loo_distance_)}"
        )

    def _complexity(self) -> Complexity:
        return self.members_[0].complexity()

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        members = [member_to_state(member) for member in self.members_]
        about = {"alpha": self.alpha_, "loo_distance": self.loo_distance_}
        return {**self._pack_about(), **about, "members": members}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        about, packed = self._unpack_about(state), state.get("members")
        if not isinstance(packed, list) or len(packed) != 1:
            raise malformed("there is not one ridge regression")
        member = member_from_state(packed[0], schema, None)
        if not isinstance(member, KernelRidge):
            raise malformed("the member is not a ridge regression")
        if np.size(member.intercept_) != len(about["_space"]):
            raise malformed("there is not a weight for each output")
        numbers = {name: number_from_state(state, name) for name in ("alpha", "loo_distance")}
        if numbers["alpha"] <= 0 or numbers["loo_distance"] < 0:
            raise malformed("'alpha' or the leave-one-out error is out of range")
        named = {f"{name}_": value for name, value in numbers.items()}
        return {**about, **named, "members_": [member]}


def _fitted(
    kind: type[KernelRidge],
    model: OutputKernelRidge,
    data: TrainingData,
    targets: Floats,
    alpha: Any = None,
) -> KernelRidge:
    """Return ridge regression with a model's parameters, fitted to some targets."""
    parameters = {name: getattr(model, name) for name in _INPUT_PARAMETERS}
    ridge = kind(alpha=model.alpha if alpha is None else alpha, **parameters)
    weights = data.weights.of_rows(data.table.n_rows)
    values = targets[:, 0] if targets.shape[1] == 1 else targets
    return ridge.fit(data.table, values, sample_weight=weights)
