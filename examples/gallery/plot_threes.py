"""
Handwritten threes: two axes that one can see
=============================================

All handwritten threes look alike, and each is different. Principal components find the ways in
which they differ: the first two can be named by looking at images along them.
"""

import os

import numpy as np
from sklearn.datasets import load_digits

from branchline.charts import Axis, Chart, Images, Line, Points
from branchline.projection import PCA

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# 183 threes of 8 × 8 pixels
# --------------------------
#
# The images come with scikit-learn.

digits = load_digits()
threes = digits.data[digits.target == 3]
threes = threes[:80] if SMALL else threes
varies = threes.std(axis=0) > 0  # pixels of the edge are always white
model = PCA(n_components=8, standardize=False).fit(threes[:, varies])
places = model.transform(threes[:, varies])
some_threes = Images(tuple(threes[:16].reshape(-1, 8, 8)), n_columns=8, title="Sixteen threes")

# %%
# The plane of the first two axes
# -------------------------------

plane = Chart(
    (Points(places[:, 0], places[:, 1], "threes"),),
    Axis("first axis"),
    Axis("second axis"),
    "Where each three lies",
    shape="square",
)

# %%
# Images along the axes: at −2, −1, 0, 1, 2 standard deviations of each.

steps = (-2, -1, 0, 1, 2)
spread = places.std(axis=0)
stops = [step * spread[axis] * np.eye(8)[axis] for axis in (0, 1) for step in steps]
along = np.zeros((len(stops), 64))
along[:, varies] = np.asarray(model.inverse_transform(np.array(stops))).clip(0, 16)
words = [f"axis {axis + 1}, {step}".replace("-", "−") for axis in (0, 1) for step in steps]
along_the_axes = Images(
    tuple(along.reshape(-1, 8, 8)), tuple(words), n_columns=5, title="Along the axes"
)

# %%
# How much do a few axes hold?
# ----------------------------

ratio = np.cumsum(np.asarray(model.explained_variance_ratio_)[:8])
held = Chart(
    (Line(np.arange(1, 9), ratio, "share of variance held", dots=True),),
    Axis("axes", form="whole"),
    Axis("share of variance", form="percent", zero=True),
    "Eight numbers in place of 64",
)
print(f"two axes hold {ratio[1]:.0%}, eight hold {ratio[7]:.0%} of the variance")

# %%
# What was learned
# ----------------
#
# - Axes can be read by looking at what changes along them: here how the strokes lean, and how wide
#   and low the lower bow is.
# - Eight numbers hold most of what distinguishes threes. Pixels of the edge hold nothing.
# - The sign of an axis means nothing: left and right may be exchanged.
