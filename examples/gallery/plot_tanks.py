"""
Tanks in clutter: global similarity fails, local features do not
================================================================

Half of the pictures hide a tank somewhere in clutter. Two pictures with a tank are no more alike,
pixel by pixel, than two pictures without: the nearest neighbor nearly guesses. Small patches are
alike, wherever they are: looking for typical patches finds the tank.
"""

import os

import numpy as np

from branchline.assess import cross_validate
from branchline.charts import Images, IntervalRow, interval_rows
from branchline.cluster import KMeans
from branchline.linear import LogisticRegression
from branchline.neighbors import NearestNeighborsClassifier

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"
SIDE, PATCH = 32, 6

# %%
# Pictures
# --------

random = np.random.default_rng(7)
n_pictures = 80 if SMALL else 400


def clutter() -> np.ndarray:
    """Return leaves and stones: soft spots of all sizes."""
    image = random.normal(0, 0.08, (SIDE, SIDE))
    down, across = np.mgrid[0:SIDE, 0:SIDE]
    for _ in range(25):
        size = random.uniform(1.5, 5)
        far = (
            (down - random.uniform(0, SIDE)) ** 2 + (across - random.uniform(0, SIDE)) ** 2
        ) / size**2
        image += random.choice([-0.6, 0.6]) * np.exp(-far)
    return image


def with_tank(image: np.ndarray) -> np.ndarray:
    """Put a tank somewhere: a hull, a turret, a gun, sharp edges."""
    top, left = random.integers(2, SIDE - 9), random.integers(2, SIDE - 15)
    dark = random.uniform(0.8, 1.2)
    image[top + 4 : top + 7, left : left + 11] = -dark
    image[top + 1 : top + 4, left + 3 : left + 7] = -dark
    image[top + 2, left + 7 : left + 13] = -dark
    return image


has_tank = np.arange(n_pictures) % 2 == 0
pictures = np.array([with_tank(clutter()) if tank else clutter() for tank in has_tank])
answer = np.where(has_tank, "tank", "none")
examples = Images(tuple(pictures[:8]), tuple(answer[:8]), n_columns=4, title="Eight pictures")

# %%
# Global: all pixels of a picture are one row
# -------------------------------------------

pixels = pictures.reshape(n_pictures, -1)
overall = cross_validate(NearestNeighborsClassifier(n_neighbors=1), pixels, answer, n_folds=5).score

# %%
# Local: how strongly does each typical patch occur?
# --------------------------------------------------
#
# Typical patches are the centers of k-means on patches of all pictures: no answer takes part. A
# picture becomes one number per typical patch: its closest match in the picture.

windows = np.lib.stride_tricks.sliding_window_view(pictures, (PATCH, PATCH), axis=(1, 2))
windows = windows[:, ::2, ::2].reshape(n_pictures, -1, PATCH * PATCH)
centered = windows - windows.mean(axis=2, keepdims=True)
norms = np.linalg.norm(centered, axis=2, keepdims=True)
patches = centered / np.maximum(norms, 0.8)
n_typical = 24 if SMALL else 60
sample = patches.reshape(-1, PATCH * PATCH)
sample = sample[random.choice(len(sample), 1500 if SMALL else 6000, replace=False)]
groups = KMeans(n_typical, standardize=False, n_init=1).fit(sample)
typical = np.array([sample[groups.labels_ == k].mean(axis=0) for k in range(n_typical)])
closest = (patches @ typical.T).max(axis=1)
local = cross_validate(LogisticRegression(C=1.0), closest, answer, n_folds=5).score

accuracies = interval_rows(
    [
        IntervalRow(
            "all pixels, nearest neighbor",
            overall.estimate,
            overall.low,
            overall.high,
            f"{overall.estimate:.2f}",
        ),
        IntervalRow(
            "typical patches, logistic",
            local.estimate,
            local.low,
            local.high,
            f"{local.estimate:.2f}",
        ),
    ],
    "accuracy, 5 folds",
    "Tank or none",
    reference=0.5,
    reference_words="guessing",
)
print(f"pixels {overall.estimate:.2f}, patches {local.estimate:.2f}")

# %%
# Which patches speak for a tank?

weights = np.ravel(LogisticRegression(C=1.0).fit(closest, answer).coef_)
speaks = typical[np.argsort(-weights)[:8]].reshape(-1, PATCH, PATCH)
tank_patches = Images(tuple(speaks), n_columns=8, title="Patches with the largest weights")

# %%
# What was learned
# ----------------
#
# - Similarity of whole pictures is mostly similarity of clutter: little better than guessing.
# - A patch does not care where it is. With the maximum over all places, position is gone.
# - Features that know something about the problem are worth more than another learner.
