"""
Faces: boxes of light and dark, and AdaBoost
============================================

Eyes are darker than cheeks, the bridge of the nose is lighter than the eyes. Such differences of
boxes are computed in a few additions, wherever the box is and however large. AdaBoost picks, out of
thousands of them, the ones that help most: stumps, one after the other.

The faces are drawn by a program, the backgrounds are parts of photographs that come with
scikit-learn. The original had 5,000 faces and 180,000 boxes.
"""

import os
import time
from itertools import product

import numpy as np
from sklearn.datasets import load_sample_image

from branchline.boosting import AdaBoostClassifier
from branchline.charts import Axis, Chart, Images, Line

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"
SIDE = 24

# %%
# Faces and other things
# ----------------------

random = np.random.default_rng(9)
photographs = [load_sample_image(name).mean(axis=2) / 255 for name in ("china.jpg", "flower.jpg")]
DOWN, ACROSS = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1) * 2 - 1


def background(high: int, wide: int) -> np.ndarray:
    """Return a random part of a photograph."""
    image = photographs[random.integers(2)]
    top, left = (random.integers(0, n - m) for n, m in zip(image.shape, (high, wide), strict=True))
    return image[top : top + high, left : left + wide].copy()


def face() -> np.ndarray:
    """Return a face in front of a background."""
    eyes, mouth, light = random.normal([0.38, 0.3, 0], [0.04, 0.06, 0.25])
    shift = random.normal(0, 0.05, 2)
    down, across = DOWN - shift[0], ACROSS - shift[1]

    def spot(where: float, side: float, high: float, wide: float) -> np.ndarray:
        return np.exp(-(((down - where) / high) ** 2) - ((across - side) / wide) ** 2)

    image = np.full((SIDE, SIDE), random.uniform(0.5, 0.9))
    for side in (-1, 1):
        image -= 0.45 * spot(-0.25, side * eyes, 0.12, 0.2)
    image -= 0.3 * spot(0.55, 0, 0.1, mouth)
    image += 0.1 * spot(0.05, 0, 0.3, 0.1)
    image = image * (1 + light * across) * random.uniform(0.6, 1.1)
    inside = (down / 1.1) ** 2 + (across / 0.95) ** 2 < 1
    whole = background(SIDE, SIDE)
    whole[inside] = image[inside]
    return np.clip(whole + random.normal(0, 0.03, whole.shape), 0, 1)


n_each = 150 if SMALL else 1000
windows = np.array(
    [face() for _ in range(n_each)] + [background(SIDE, SIDE) for _ in range(3 * n_each)]
)
answer = np.repeat(["face", "other"], [n_each, 3 * n_each])
some_windows = Images((*windows[:6], *windows[-6:]), n_columns=6, title="Faces and other things")

# %%
# Boxes by four additions
# -----------------------
#
# The integral image holds at each place the sum of all pixels above and to the left. The sum of any
# box is then four numbers of it, added and subtracted. There are four kinds of features: two boxes
# beside each other, two below each other, three boxes, four boxes.


def integral(images: np.ndarray) -> np.ndarray:
    """Return integral images, with a line of zeros above and to the left."""
    sums = images.cumsum(axis=-1).cumsum(axis=-2)
    return np.pad(sums, [(0, 0)] * (images.ndim - 2) + [(1, 0), (1, 0)])


def all_boxes(step: int) -> list[tuple[tuple[int, int, int, int, int], ...]]:
    """Return features: each is a few boxes (weight, top, left, height, width)."""
    kinds = (((1, 0, 0), (-1, 0, 1)), ((1, 0, 0), (-1, 1, 0)))
    kinds += (((1, 0, 0), (-2, 0, 1), (1, 0, 2)), ((1, 0, 0), (-1, 0, 1), (-1, 1, 0), (1, 1, 1)))
    found = []
    for kind in kinds:
        rows, columns = (max(part[k] for part in kind) + 1 for k in (1, 2))
        sizes = product(range(step, SIDE // rows + 1, step), range(step, SIDE // columns + 1, step))
        for high, wide in sizes:
            tops = range(0, SIDE - rows * high + 1, step)
            lefts = range(0, SIDE - columns * wide + 1, step)
            found += [
                tuple((w, top + r * high, left + c * wide, high, wide) for w, r, c in kind)
                for top, left in product(tops, lefts)
            ]
    return found


def value(
    sums: np.ndarray, feature: tuple[tuple[int, ...], ...], high: int, wide: int
) -> np.ndarray:
    """Return a feature at every second place of high × wide places of the window."""
    total = 0.0
    for weight, top, left, h, w in feature:
        corner = [
            sums[..., top + a : top + a + high : 2, left + b : left + b + wide : 2]
            for a, b in ((h, w), (0, w), (h, 0), (0, 0))
        ]
        total = total + weight * (corner[0] - corner[1] - corner[2] + corner[3])
    return total


def spread(sums: np.ndarray, squares: np.ndarray, high: int, wide: int) -> np.ndarray:
    """Return the standard deviation of the window at all places: light is divided out."""
    whole = ((1, 0, 0, SIDE, SIDE),)
    mean, square = (value(one, whole, high, wide) / SIDE**2 for one in (sums, squares))
    return np.sqrt(np.maximum(square - mean**2, 1e-4))


features = all_boxes(4 if SMALL else 3)
sums, squares = integral(windows), integral(windows**2)
light = spread(sums, squares, 1, 1)[:, 0, 0]
X = np.array([value(sums, one, 1, 1)[:, 0, 0] / light for one in features]).T
print(f"{len(features):,} features of {len(X):,} windows")

# %%
# 38 rounds
# ---------

n_rounds = 12 if SMALL else 38
is_test = np.arange(len(X)) % 4 == 0
model = AdaBoostClassifier(n_estimators=n_rounds).fit(X[~is_test], answer[~is_test])
curve = [float(np.mean(p != answer[is_test])) for p in model.staged_predict(X[is_test])]
errors = Chart(
    (Line(np.arange(1, len(curve) + 1), curve, "error on new windows"),),
    Axis("rounds", form="whole"),
    Axis("error", form="percent", zero=True),
    "Each round adds one box feature",
)
print(f"error after {len(curve)} rounds: {curve[-1]:.3f}")

# %%
# The original looked at 350 million windows without a face. Here is one more look at others: the
# machine also learns from those that it takes for faces.


def boxes_of(images: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the features of windows; those that are not chosen stay 0."""
    sums, squares = integral(images), integral(images**2)
    light = spread(sums, squares, 1, 1)[:, 0, 0]
    rows = np.zeros((len(images), len(features)), order="F")
    for k in chosen:
        rows[:, k] = value(sums, features[k], 1, 1)[:, 0, 0] / light
    return rows


more = np.array([background(SIDE, SIDE) for _ in range(500 if SMALL else 30_000)])
used = np.flatnonzero(np.asarray(model.feature_importances_) > 0)
is_wrong = model.predict(boxes_of(more, used)) == "face"
print(f"{is_wrong.sum()} of {len(more):,} other windows are taken for faces")
hard = boxes_of(more[is_wrong], np.arange(len(features)))
X_more = np.concatenate([X[~is_test], hard])
y_more = np.concatenate([answer[~is_test], np.repeat("other", len(hard))])
model = AdaBoostClassifier(n_estimators=2 * n_rounds).fit(X_more, y_more)

# %%
# The features of the first rounds, drawn on the mean face.

importance = np.asarray(model.feature_importances_)
used = np.flatnonzero(importance > 0)
drawn = []
for k in used[np.argsort(-importance[used])][:6]:
    image = windows[:n_each].mean(axis=0)
    for weight, top, left, high, wide in features[k]:
        image[top : top + high, left : left + wide] += 0.35 * np.sign(weight)
    drawn.append(image)
first_boxes = Images(tuple(drawn), n_columns=6, title="The six features that matter most")

# %%
# A picture of 320 × 240
# ----------------------
#
# Only the chosen features are computed, at every second place of every second line.

scene = background(240, 320)
places = [(30, 40), (120, 150), (180, 270)]
for top, left in places:
    scene[top : top + SIDE, left : left + SIDE] = face()


def features_of_places(image: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return the features that the model uses at every second place, and the shape of places."""
    sums, squares = integral(image), integral(image**2)
    high, wide = (n - SIDE + 1 for n in image.shape)
    light = spread(sums, squares, high, wide)
    rows = np.zeros((len(used), light.size))
    for row, k in zip(rows, used, strict=True):
        row[:] = (value(sums, features[k], high, wide) / light).ravel()
    return rows, light.shape


seconds = []
for _ in range(2 if SMALL else 20):
    begin = time.process_time()
    rows, shape = features_of_places(scene)
    seconds.append(time.process_time() - begin)
frames_per_second = 1 / min(seconds)
whole_rows = np.zeros((rows.shape[1], len(features)), dtype=np.float32, order="F")
whole_rows[:, used] = rows.T
f = np.ravel(model.decision_function(whole_rows))
f = f if list(model.classes_)[1] == "face" else -f
map_of_f = f.reshape(shape)
best, found = map_of_f.copy(), []
while best.max() > 0 and len(found) < 8:
    row, column = np.unravel_index(np.argmax(best), best.shape)
    found.append((int(row) * 2, int(column) * 2))
    best[max(0, row - 8) : row + 9, max(0, column - 8) : column + 9] = -np.inf
marked = scene.copy()
for top, left in found:
    marked[top : top + SIDE, [left, left + SIDE - 1]] = 1
    marked[[top, top + SIDE - 1], left : left + SIDE] = 1
search = Images((marked, map_of_f), ("found: white frames", "f at each place"), n_columns=2)
print(f"faces at {places}, found at {found}")
print(f"{frames_per_second:.0f} frames of 320 × 240 a second on one core, {len(used)} features")

# %%
# What was learned
# ----------------
#
# - Thousands of weak questions and a learner that picks a few dozen: that is all. Each one is read
#   as "the eyes are darker than what is below".
# - Integral images make a feature cost a few additions, whatever its size.
# - The picture has 16,000 places. One wrong place in a thousand would be sixteen ghosts. Real
#   detectors learn from more windows without a face, and stack such machines in a cascade.
