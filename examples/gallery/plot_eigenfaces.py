"""
Eigenfaces
==========

A face of 32 × 32 pixels is a row of 1,024 numbers. Faces are far from filling that space: a dozen
axes hold almost all of it. The axes can be looked at like faces, and a new face is a sum of them.
The faces here are drawn by a program, so nothing is downloaded; ``branchline reproduce eigenfaces``
does the same with 400 photographs, when you have them.
"""

import os

import numpy as np

from branchline.charts import Axis, Chart, Images, Line
from branchline.neighbors import NearestNeighborsClassifier
from branchline.projection import PCA

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"
SIDE = 32
DOWN, ACROSS = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1) * 2 - 1

# %%
# Faces
# -----
#
# A person is a list of sizes and distances. A photograph adds light from a side, a smile and a
# small shift.


def spot(down: float, across: float, high: float, wide: float) -> np.ndarray:
    """Return a soft round spot."""
    return np.exp(-(((DOWN - down) / high) ** 2) - ((ACROSS - across) / wide) ** 2)


def face(person: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a photograph of a person, as gray values."""
    width, eyes, brow, nose, mouth, hair = person
    smile, light, shift = random.normal(0, [0.05, 0.25, 0.03])
    image = 0.8 * (((DOWN / 0.95) ** 2 + (ACROSS / width) ** 2) < 1)
    image -= 0.6 * hair * (DOWN < -0.62) * (image > 0)
    for side in (-1, 1):
        image -= 0.6 * spot(-0.2 + shift, side * eyes, 0.09, 0.13)
        image -= 0.4 * brow * spot(-0.4 + shift, side * eyes, 0.05, 0.2)
    image -= 0.25 * spot(0.15 + shift, 0, 0.2, 0.06 + nose)
    image -= 0.55 * spot(0.5 + smile * np.abs(ACROSS).mean() * 4 + shift, 0, 0.07, mouth)
    return image * (1 + light * ACROSS) + random.normal(0, 0.03, image.shape)


random = np.random.default_rng(1)
n_people, n_each = (10, 6) if SMALL else (40, 10)
people = random.normal(
    [0.75, 0.36, 0.6, 0.05, 0.3, 0.5], [0.07, 0.04, 0.3, 0.03, 0.07, 0.35], (n_people, 6)
)
faces = np.array([face(person, random).ravel() for person in people for _ in range(n_each)])
who = np.repeat([f"person {k + 1}" for k in range(n_people)], n_each)
is_new = np.arange(len(faces)) % n_each == n_each - 1

# %%
# The mean and the first eleven axes
# ----------------------------------

n_axes = 11
model = PCA(n_axes, standardize=False).fit(faces[~is_new])
axes = np.asarray(model.components_).reshape(n_axes, SIDE, SIDE)
eigenfaces = Images(
    (faces[~is_new].mean(axis=0).reshape(SIDE, SIDE), *axes),
    ("mean", *(f"axis {k + 1}" for k in range(n_axes))),
    n_columns=6,
    title="The mean face and eleven eigenfaces",
)

# %%
# New photographs, rebuilt from eleven numbers
# --------------------------------------------

new = faces[is_new][:6]
rebuilt = model.inverse_transform(model.transform(new))
before_and_after = Images(
    (*new.reshape(-1, SIDE, SIDE), *np.asarray(rebuilt).reshape(-1, SIDE, SIDE)),
    (*(["new"] * len(new)), *(["rebuilt"] * len(new))),
    n_columns=6,
    title="Photographs that were not used, and what eleven numbers keep of them",
)

# %%
# Who is it?
# ----------

counts = [1, 2, 4, 8, 11]
right = []
for n in counts:
    known, asked = (np.asarray(model.transform(faces[rows]))[:, :n] for rows in (~is_new, is_new))
    nearest = NearestNeighborsClassifier(n_neighbors=1).fit(known, who[~is_new])
    right.append(float(np.mean(nearest.predict(asked) == who[is_new])))
recognized = Chart(
    (Line(counts, right, "people recognized", dots=True),),
    Axis("axes used", form="whole"),
    Axis("share of new photographs", form="percent", zero=True),
    "The nearest known face",
)
print(dict(zip(counts, right, strict=True)))

# %%
# What was learned
# ----------------
#
# - The first axis is the light, not the person: what varies most is not what you ask for.
# - A dozen numbers rebuild a face that was not used, and are enough to find most people again.
# - All faces must be placed alike. A face that is shifted by a few pixels lies far away in pixels.
