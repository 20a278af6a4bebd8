"""Angles of simulated images by Gaussian processes: on pixels, on learned features, fine-tuned.

1. An image of 16 × 16 pixels shows a pointer at an angle from −90° to 90°. Its place, width and
   brightness vary, and light falls on it from a side of its own. The angle is to be predicted.
2. Inputs: a Gaussian process on the pixels, with one length scale.
3. Features learned without labels: the same on the first 20 principal components of 3,000 images
   whose angles are not known.
4. Fine-tuned: each component gets a length scale, learned with the labels by marginal likelihood.

The printed figures are of faces (rotated photographs, features of a deep network). The simulated
images are others, so the errors are; what must come out is the order, for each number of labels.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import fixed
from branchline._validation import Flag, check_parameters, check_seed
from branchline.charts import Images
from branchline.projection import PCA
from branchline.reproduce._drawn import DrawnReproduction
from branchline.reproduce._reproduction import Figure, Line
from branchline.svm import GaussianProcessRegressor

__all__ = ["orientation"]

_SIDE, _SPAN, _FEATURES = 16, 90.0, 20
_UNLABELLED, _TEST, _SHOWN = 3000, 1000, 12
_LIGHT, _SHIFT, _GRAIN = 0.6, 0.15, 0.15
_LABELS, _QUICK_LABELS = (100, 500, 1000), (100, 300)
_PRINTED = {
    "inputs": {100: 22.2, 500: 17.2, 1000: 16.3},
    "features learned without labels": {100: 17.9, 500: 12.7, 1000: 11.2},
    "fine-tuned": {100: 15.2, 500: 7.2, 1000: 6.4},
}


def orientation(
    *, quick: bool = False, random_state: Any = 0, tell: Callable[[str], None] | None = None
) -> DrawnReproduction:
    """Predict the angle of simulated images from pixels, learned and tuned features.

    Parameters
    ----------
    quick
        100 and 300 labels. Default False.
    random_state
        The seed of the images. Default 0.
    tell
        Called with a sentence for each number of labels. Default None: nothing is called.

    See Also
    --------
    DrawnReproduction : a published picture, made anew.
    """
    check_parameters("orientation", {"quick": quick}, {"quick": Flag()})
    generator = np.random.default_rng(check_seed(random_state))
    labels = _QUICK_LABELS if quick else _LABELS
    unlabelled, _ = _images(_UNLABELLED, generator)
    rows, angles = _images(max(labels), generator)
    test, truth = _images(_TEST, generator)
    learned = PCA(_FEATURES, standardize=False).fit(unlabelled)
    features, of_test = learned.transform(rows), learned.transform(test)
    settings = {
        "inputs": ("rbf", rows, test),
        "features learned without labels": ("rbf", features, of_test),
        "fine-tuned": ("ard", features, of_test),
    }
    errors: dict[str, list[float]] = {name: [] for name in settings}
    predicted: list[Floats] = []
    for n_labels in labels:
        predicted = []
        for name, (kernel, inputs, asked) in settings.items():
            model = GaussianProcessRegressor(kernel).fit(inputs[:n_labels], angles[:n_labels])
            predicted.append(model.predict(asked))
            errors[name].append(float(np.sqrt(((predicted[-1] - truth) ** 2).mean())))
        if tell is not None:
            tell(f"{n_labels} labels: " + ", ".join(_degrees(e[-1]) for e in errors.values()))
    return DrawnReproduction(
        f"Angles of {_TEST:,} simulated images: root mean squared error in degrees",
        _lines(errors, labels),
        "each line below the line before it, for each number of labels",
        ("The printed figures are of photographs of faces; the order is what is compared.",),
        is_wide=True,
        picture=_picture(test, truth, predicted, labels[-1]),
    )


def _images(n_images: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return images as rows of pixels, and their angles in degrees."""
    up, right = np.mgrid[0:_SIDE, 0:_SIDE] / (_SIDE - 1) * 2 - 1
    light = np.stack([up**0, right, up, right * up, right**2 - up**2, right**2 + up**2])
    strengths = _LIGHT * np.array([0.5, 0.5, 0.5, 0.5, 0.3, 0.3])
    angles = generator.uniform(-_SPAN, _SPAN, n_images)
    rows = np.empty((n_images, _SIDE**2))
    for at, angle in enumerate(np.deg2rad(angles)):
        x, y = generator.uniform(-_SHIFT, _SHIFT, 2)
        along = np.cos(angle) * (right - x) + np.sin(angle) * (up - y)
        across = np.cos(angle) * (up - y) - np.sin(angle) * (right - x)
        pointer = np.exp(-((across / generator.uniform(0.25, 0.4)) ** 2))
        pointer /= (1 + np.exp(-6 * (along + 0.1))) * (1 + np.exp(8 * (along - 0.95)))
        image = generator.uniform(0.7, 1.3) * pointer
        image += np.tensordot(strengths * generator.normal(size=len(light)), light, 1)
        rows[at] = (image + generator.normal(0, _GRAIN, image.shape)).ravel()
    return rows, angles


def _lines(errors: Mapping[str, Sequence[float]], labels: Sequence[int]) -> tuple[Line, ...]:
    lines, before = [], [np.inf] * len(labels)
    for name, found in errors.items():
        figures = tuple(
            Figure(f"{n} labels", _PRINTED[name].get(n, "–"), ours, ours < last, digits=1)
            for n, ours, last in zip(labels, found, before, strict=True)
        )
        lines.append(Line(name, figures))
        before = list(found)
    return tuple(lines)


def _degrees(angle: float) -> str:
    return f"{fixed(angle, 1)}°"


def _picture(test: Floats, truth: Floats, predicted: list[Floats], n_labels: int) -> Images:
    """Return some of the images, each with its angle and the three that were predicted."""
    captions = [
        f"{fixed(truth[at], 0)}: " + ", ".join(fixed(one[at], 0) for one in predicted)
        for at in range(_SHOWN)
    ]
    shown = tuple(test[at].reshape(_SIDE, _SIDE) for at in range(_SHOWN))
    note = (
        "The angle in degrees, then what is predicted from the pixels, from learned features, and "
        f"from tuned ones, with {n_labels:,} labels."
    )
    return Images(shown, tuple(captions), 4, "Angles of simulated images", note)
