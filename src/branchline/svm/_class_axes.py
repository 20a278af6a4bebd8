"""Axes on which classes are apart: from predicted indicators to axes, centers and probabilities.

1. θ solves Ȳᵀ W F θ = ρ² D θ: Ȳ are centered indicators of classes, F the predicted ones, W and D
   the weights of rows and classes. Directions without any ρ are left out.
2. Rows lie at L θ, L being the indicators predicted by fits without the row.
3. The covariance within classes of these places becomes the identity, and the axes are turned to
   the directions of most variance between class centers.
4. Probabilities are p_c exp(−s ‖z − m_c‖²) with p_c the share of class c, in proportion; the scale
   s makes the log loss of the places of step 2 least (½ where places are normal).
5. The sign of an axis is that which puts the last class that is far out on the positive side.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from branchline._arrays import Floats
from branchline._plain_numbers import number
from branchline.charts import Axis, Chart, Label, Points, row_points
from branchline.svm._nearest_center import scale_of_distances

__all__ = ["ClassAxes", "class_axes", "draw_classes"]

_NOTHING = 1e-12
# The least variance within classes, as a share of all: classes may be points.
_LEAST_WITHIN = 1e-6
_FAR_OUT = 0.5  # of the farthest center
_NO_PLACES = np.zeros((0, 1))


@dataclass(frozen=True, eq=False)
class ClassAxes:
    """Classes on axes on which the variance within them is 1.

    Parameters
    ----------
    centers
        Where the classes lie: one row for each.
    class_weights
        How many rows they have, by weight.
    scale
        How fast probabilities fall with squared distance.
    scoring
        The sums of predicted indicators that are the axes.
    places
        Where the training rows lie, each without itself.
    """

    centers: Floats
    class_weights: Floats
    scale: float = 0.5
    scoring: Floats = field(default_factory=lambda: _NO_PLACES)
    places: Floats = field(default_factory=lambda: _NO_PLACES)

    @property
    def shares(self) -> Floats:
        """The share of each class."""
        return np.asarray(self.class_weights / self.class_weights.sum())

    @property
    def separation(self) -> Floats:
        """The variance of the class centers along each axis."""
        moved = self.centers - self.shares @ self.centers
        return np.asarray(self.shares @ moved**2)

    def probabilities(self, places: Floats) -> Floats:
        """Return the probability of each class for rows at some places."""
        squares = squared_distances(places, self.centers)
        found: Floats = softmax(np.log(self.shares) - self.scale * squares, axis=1)
        return found

    def classes_of(self, places: Floats) -> npt.NDArray[np.intp]:
        """Return the most probable class of each row."""
        return np.asarray(self.probabilities(places).argmax(axis=1))


def class_axes(
    fitted: Floats,
    left_out: Floats,
    class_of_row: npt.NDArray[Any],
    weights: Floats,
    n_axes: int | None,
) -> ClassAxes:
    """Return the axes of predicted indicators.

    Parameters
    ----------
    fitted, left_out
        The indicators of classes as they are predicted for each row with and without itself.
    class_of_row, weights
        Of the rows.
    n_axes
        How many axes are kept at most; None: all.
    """
    n_classes = fitted.shape[1]
    sizes = np.bincount(class_of_row, weights, minlength=n_classes).astype(np.float64)
    indicators = np.eye(n_classes)[class_of_row] * weights[:, None]
    theta = _scoring(indicators, fitted, sizes, weights)[:, :n_axes]
    places = left_out @ theta
    centers = indicators.T @ places / sizes[:, None]
    within = places - centers[class_of_row]
    theta = theta @ _turned(centers, within, sizes, weights)
    places = left_out @ theta
    centers = indicators.T @ places / sizes[:, None]
    squares, logs = squared_distances(places, centers), np.log(sizes / sizes.sum())
    scale = scale_of_distances(squares, class_of_row, weights, float(squares.max()), logs)
    return ClassAxes(centers, sizes, scale, theta, places)


def squared_distances(places: Floats, centers: Floats) -> Floats:
    """Return the squared distance of each row to each center."""
    return np.asarray(((places[:, None, :] - centers) ** 2).sum(axis=2))


def _scoring(indicators: Floats, fitted: Floats, sizes: Floats, weights: Floats) -> Floats:
    """Return θ, one column for each axis, the axis of the largest ρ first."""
    between = indicators.T @ (fitted - weights @ fitted / weights.sum())
    roots = np.sqrt(sizes)
    values, vectors = np.linalg.eigh((between + between.T) / 2 / np.outer(roots, roots))
    is_there = values[::-1][: max(1, len(sizes) - 1)] > _NOTHING
    theta = (vectors / roots[:, None] * np.sqrt(sizes.sum()))[:, ::-1][:, : len(is_there)]
    return theta[:, is_there] if is_there.any() else np.zeros((len(sizes), 1))


def _turned(centers: Floats, within: Floats, sizes: Floats, weights: Floats) -> Floats:
    """Return the matrix that makes the variance within classes 1 and centers uncorrelated."""
    shares = sizes / sizes.sum()
    moved = centers - shares @ centers
    values, vectors = np.linalg.eigh((within * weights[:, None]).T @ within / weights.sum())
    least = _LEAST_WITHIN * (values.sum() + float(shares @ (moved**2).sum(axis=1)))
    scaled = vectors / np.sqrt(np.maximum(values, least if least > 0 else 1.0))
    moved = moved @ scaled
    turned = np.linalg.eigh((moved * shares[:, None]).T @ moved)[1][:, ::-1]
    moved = moved @ turned
    size = np.abs(moved)
    is_far = size >= _FAR_OUT * size.max(axis=0)
    last = len(moved) - 1 - is_far[::-1].argmax(axis=0)
    signs = np.where(moved[last, np.arange(moved.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(scaled @ turned * signs)


def draw_classes(places: Floats, color: Any, axes: ClassAxes, classes: Any) -> Chart:
    """Draw rows on the first two axes, and where the classes have their centers."""
    centers, separation = axes.centers, axes.separation
    if places.shape[1] == 1:
        places, centers = (np.column_stack([one, 0 * one]) for one in (places, centers))
        separation = np.append(separation, 0.0)
    labels = [
        Label(float(x), float(y), str(name))
        for (x, y), name in zip(centers[:, :2], classes, strict=True)
    ]
    across, up = (Axis(f"axis {at + 1} (separation {number(separation[at], 2)})") for at in (0, 1))
    note = (
        "Words stand at the centers of classes. The variance within a class is 1 for new rows; "
        "training rows lie nearer to their class."
    )
    marks: list[Points | Label] = [*row_points(places[:, :2], color), *labels]
    title = "Rows on the axes of the classes"
    return Chart(tuple(marks), across, up, title, note=note, shape="square")
