"""Independent components: directions in which a table is least like normal noise.

1. The table is projected on its first k principal axes, each scaled to variance 1 (whitened).
   Rows with missing cells are left out of the next steps where enough whole ones remain.
2. A rotation W of these is looked for that makes each component as little normal as can be, by
   the symmetric fixed point (Hyvärinen 1999): with s = W z, g = tanh,
   W ← E[g(s) zᵀ] − diag(E[1 − g²(s)]) W, then W ← (W Wᵀ)^(−½) W, until W settles.
3. That is done from several starts; the W of the largest sum of J is kept, where
   J = (E[log cosh s] − E[log cosh ν])² is the distance of a component from a normal ν.
4. The same is done with 20 tables of normal noise of the same size: components with a larger J
   than any of theirs are beyond chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import log1p

from branchline._arrays import Bools, Floats
from branchline._base import FittedState, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._one_thread import one_thread
from branchline._plain_numbers import count
from branchline._state import malformed, numbers_from_state
from branchline._validation import AnyOf, Constraint, Flag, OneOf, Whole, check_seed
from branchline.charts import Axis, Chart, Panels, row_points
from branchline.errors import ParameterError, Repair
from branchline.projection._components import Axes, place_rows
from branchline.projection._linear_axes import LinearAxes
from branchline.projection._pca import PCA
from branchline.table import Schema

__all__ = ["ICA"]

_N_STARTS = 5
_N_TABLES = 20
_MOST_TURNS = 500
_SETTLED = 1e-8  # change of a weight in a turn
_MOST_ROWS = 2000  # of a table of noise
_MOST_DRAWN = 5000
_ROWS_EACH = 20  # whole rows for each component
_NOTHING = 1e-12
# E[log cosh ν] of a standard normal ν, by numerical integration.
_OF_NORMAL = 0.3745672074914381


class ICA(LinearAxes):
    """Turn each row of any table into numbers that are as independent of each other as can be.

    Where columns are sums of a few independent sources (voices at several microphones), the
    components are the sources; their order, sign and size cannot be known. Normal sources are not
    distinguishable: ``verdict()`` says how many components are further from normal than chance.

    Parameters
    ----------
    n_components
        How many components are looked for: "auto" (default: as many as there are principal axes
        beyond chance, at least two) or a number.
    standardize
        Whether numbers are divided by their standard deviation before the principal axes are
        found. Default True.
    random_state
        Seed of the starts, and of the tables of noise. Default 0.

    Attributes
    ----------
    components_
        What each component is the sum of: one row for each component, one column for each term.
    distances_from_normal_
        How far each component is from normal (J), the farthest first.
    distance_by_chance_
        The largest distance in 20 tables of normal noise. A loaded model has it, too.
    terms_
        What the numbers of a component stand for: columns, or categories of columns.

    See Also
    --------
    PCA : turn each row of any table into a few numbers that keep most of what differs between rows.
    SparsePCA : turn each row of any table into a few numbers, each a sum of only a few columns.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.projection import ICA
    >>> rng = np.random.default_rng(0)
    >>> sources = np.column_stack([rng.uniform(-1, 1, 500), rng.laplace(size=500)])
    >>> model = ICA(2).fit(sources @ [[1.0, 0.6], [0.5, 1.0]])
    >>> print(model.verdict())
    2 of 2 components are further from normal than chance.
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((Whole(1, 1000), OneOf(("auto",)))),
        "standardize": Flag(),
    }
    distances_from_normal_: Floats
    distance_by_chance_: float
    _whitening: "_Whitening"
    _rotation: Floats

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        standardize: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.standardize = standardize
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the components; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        axes = PCA(
            self.n_components, standardize=self.standardize, random_state=self.random_state
        ).fit(X, None, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        varies = _varying(axes._variances)
        directions = np.ascontiguousarray(axes.components_[varies].T)
        whitening = _Whitening(directions, axes._variances[varies], axes._noise)
        matrix = axes._preparation.matrix(rows.table)
        white = whitening.of(matrix)
        rows_known = np.asarray(np.isfinite(matrix).all(axis=1))
        seed = check_seed(self.random_state)
        rotation, distances = _unmixing(white, rows_known, weights, seed)
        n_rows = int(min(_MOST_ROWS, max(2, round(float(weights.sum())))))
        return self._finish(
            data,
            **_readable(whitening, rotation),
            distances_from_normal_=distances if whitening.variances.any() else 0.0 * distances,
            distance_by_chance_=_by_chance(n_rows, len(rotation), seed),
            explained_variance_ratio_=axes.explained_variance_ratio_[varies],
            _preparation=axes._preparation,
        )

    def _scores(self, matrix: Floats) -> Floats:
        return np.asarray(self._whitening.of(matrix) @ self._rotation.T / self._preparation.unit)

    def _rebuilt(self, places: Floats) -> Floats:
        white = places * self._preparation.unit @ np.linalg.pinv(self._rotation).T
        return np.asarray(
            (white * np.sqrt(self._whitening.variances)) @ self._whitening.directions.T
        )

    def verdict(self) -> str:
        """Return in a sentence how many components are further from normal than chance."""
        self._check_fitted()
        n_clear = int((self.distances_from_normal_ > self.distance_by_chance_).sum())
        every = len(self.distances_from_normal_)
        if n_clear == 0:
            return "No component is further from normal than chance: there are no sources to find."
        verb = "is" if n_clear == 1 else "are"
        return f"{n_clear} of {count(every, 'component')} {verb} further from normal than chance."

    def panels(self, X: Any, color: Sequence[Any] | None = None) -> Panels:
        """Draw rows as two columns, as two whitened axes, and as two independent components.

        The columns are those that weigh most in the first two components.

        Parameters
        ----------
        X
            The rows to draw.
        color
            A value for each row (a class, a number): rows are colored by it.
        """
        matrix = self._preparation_of().matrix(self._check_rows(X).table)
        if matrix.shape[1] < 2 or len(self.components_) < 2:
            raise ParameterError(
                "Two terms and two components are needed to draw them; this model has one.",
                code="P690",
                repair=Repair("ICA(2).fit(X).panels(X)  # of a table with two columns that vary"),
            )
        step = max(1, len(matrix) // _MOST_DRAWN)
        if color is not None and len(color) == len(matrix):
            color = list(color)[::step]
        matrix = matrix[::step]
        first = int(np.abs(self.components_[0]).argmax())
        others = np.abs(self.components_[1]).copy()
        others[first] = -1.0
        second, names = int(others.argmax()), self.terms_
        white, sources = self._whitening.of(matrix), self._scores(matrix)
        note = f"{self.verdict()} Known groups that are not seen here prove nothing."
        charts = (
            _dots(matrix[:, [first, second]], color, (names[first], names[second]), "Columns"),
            _dots(white[:, :2], color, ("axis 1", "axis 2"), "Whitened"),
            _dots(sources[:, :2], color, ("component 1", "component 2"), "Independent"),
        )
        return Panels(charts, 3, "From columns to independent components", note)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return a name for each component: "component1", "component2" and so on."""
        names = super().get_feature_names_out(input_features)
        return np.array([name.replace("axis", "component") for name in names], dtype=object)

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "directions": self._whitening.directions.T.ravel(),
            "variance": self._whitening.variances,
            "rotation": self._rotation.ravel(),
            "distances": self.distances_from_normal_,
            "chance": np.array([self.distance_by_chance_]),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        base = dict(super()._unpack(state, schema))
        width = len(base["_variances"])
        if (base["_variances"] < 0).any():
            raise malformed("an axis of a whitened table has a negative variance")
        whitening = _Whitening(base["components_"].T, base["_variances"], base["_noise"])
        rotation = numbers_from_state(state, "rotation", length=width * width)
        base |= _readable(whitening, rotation.reshape(width, width))
        base["distances_from_normal_"] = numbers_from_state(state, "distances", length=width)
        base["distance_by_chance_"] = float(numbers_from_state(state, "chance", length=1)[0])
        return base


@dataclass(frozen=True, eq=False)
class _Whitening:
    """Principal axes, on which rows are placed with variance 1."""

    directions: Floats
    variances: Floats
    noise: float

    def of(self, matrix: Floats) -> Floats:
        placed = place_rows(matrix, Axes(self.directions, self.variances), self.noise)
        return placed / self.scale

    @property
    def scale(self) -> Floats:
        """What places are divided by; 1 where nothing varies."""
        return np.sqrt(np.where(self.variances > 0, self.variances, 1.0))


def _varying(variances: Floats) -> Bools:
    """Return on which axes rows differ by more than rounding; the first one where there is none."""
    found: Bools = variances > _NOTHING * variances.max()
    return found if found.any() else np.arange(len(variances)) == 0


def _readable(whitening: _Whitening, rotation: Floats) -> dict[str, Any]:
    """Return the fitted attributes that follow from whitening and rotation."""
    scaled = whitening.directions / whitening.scale
    return {
        "components_": np.ascontiguousarray(rotation @ scaled.T),
        "_variances": np.ones(len(rotation)),
        "_noise": whitening.noise,
        "_whitening": whitening,
        "_rotation": rotation,
    }


def _unmixing(white: Floats, is_whole: Bools, weights: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return the matrix that turns whitened rows into components, and their distances from normal.

    Rows with missing cells lie nearer to the middle than they should, which would bend the
    components: they are left out where enough whole rows remain, which are whitened once more.
    """
    width = white.shape[1]
    if is_whole.all() or is_whole.sum() < _ROWS_EACH * width:
        return _rotated(white, weights / weights.sum(), seed, _N_STARTS)
    rows, shares = white[is_whole], weights[is_whole] / weights[is_whole].sum()
    rows = rows - shares @ rows
    values, vectors = np.linalg.eigh((rows * shares[:, None]).T @ rows)
    again = vectors / np.sqrt(np.maximum(values, _NOTHING)) @ vectors.T
    rotation, distances = _rotated(rows @ again, shares, seed, _N_STARTS)
    return rotation @ again, distances


@one_thread
def _rotated(white: Floats, shares: Floats, seed: int, n_starts: int) -> tuple[Floats, Floats]:
    """Return the rotation to the components farthest from normal, and their distances from it."""
    width = white.shape[1]
    best, found = np.eye(width), np.full(width, -1.0)
    for start in range(n_starts):
        drawn = np.random.default_rng([seed, start]).normal(size=(width, width))
        rotation = _fixed_point(white, shares, drawn)
        distances = _distances(white @ rotation.T, shares)
        if distances.sum() > found.sum() * (1 + 1e-9):
            best, found = rotation, distances
    order = np.argsort(-found, kind="stable")
    best, found = best[order], np.maximum(found[order], 0.0)
    skewness = shares @ (white @ best.T) ** 3
    return best * np.where(skewness < 0, -1.0, 1.0)[:, None], found


def _fixed_point(white: Floats, shares: Floats, rotation: Floats) -> Floats:
    rotation = _at_right_angles(rotation)
    for _ in range(_MOST_TURNS):
        bent = np.tanh(white @ rotation.T)
        pulled = (bent * shares[:, None]).T @ white
        held = shares @ (1 - bent**2)
        turned = _at_right_angles(pulled - held[:, None] * rotation)
        signs = np.where((turned * rotation).sum(axis=1) < 0, -1.0, 1.0)
        change = float(np.abs(turned - signs[:, None] * rotation).max())
        rotation = turned
        if change < _SETTLED:
            break
    return rotation


def _at_right_angles(matrix: Floats) -> Floats:
    """Return the nearest matrix whose rows have length 1 and are at right angles."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)


def _distances(places: Floats, shares: Floats) -> Floats:
    size = np.abs(places)
    log_cosh = size + log1p(np.exp(-2 * size)) - np.log(2)
    return np.asarray((shares @ log_cosh - _OF_NORMAL) ** 2)


@lru_cache(maxsize=64)
def _by_chance(n_rows: int, width: int, seed: int) -> float:
    """Return the largest distance from normal in tables of normal noise: the same for all folds."""
    largest = 0.0
    for table in range(_N_TABLES):
        noise = np.random.default_rng([seed, _N_STARTS + table]).normal(size=(n_rows, width))
        noise = noise - noise.mean(axis=0)
        values, vectors = np.linalg.eigh(noise.T @ noise / n_rows)
        white = noise @ vectors / np.sqrt(np.maximum(values, _NOTHING))
        found = _rotated(white, np.full(n_rows, 1.0 / n_rows), seed, 1)[1]
        largest = max(largest, float(found.max()))
    return largest


def _dots(places: Floats, color: Any, names: tuple[str, str], title: str) -> Chart:
    marks = tuple(row_points(places, color))
    return Chart(marks, Axis(names[0]), Axis(names[1]), title, shape="square")
