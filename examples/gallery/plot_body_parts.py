"""
Body parts from depth
=====================

A camera measures how far away each pixel is. Which part of the body is it? A forest of randomized
trees answers for each pixel by itself, from differences of depth between places around it. The
original did this 200 times a second.

Bodies are made here of balls and rods in random poses, so the true part of every pixel is known.
"""

import os
import time
from collections.abc import Callable

import numpy as np

from branchline.charts import Images, draw_confusion
from branchline.forest import ExtraTreesClassifier

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"
HIGH, WIDE, FAR = 120, 160, 10.0
PARTS = ("head", "body", "left arm", "right arm", "left leg", "right leg")

# %%
# Bodies
# ------

random = np.random.default_rng(12)
DOWN, ACROSS = np.mgrid[0:HIGH, 0:WIDE].astype(float)


def rod(depth: np.ndarray, part: np.ndarray, number: int, ends: np.ndarray, thick: float) -> None:
    """Draw a rod between two ends (down, across, far) where it is nearer than what is there."""
    first, last = ends
    along = last - first
    size = float((along[:2] ** 2).sum()) + 1e-9
    t = np.clip(((DOWN - first[0]) * along[0] + (ACROSS - first[1]) * along[1]) / size, 0, 1)
    square = (DOWN - first[0] - t * along[0]) ** 2 + (ACROSS - first[1] - t * along[1]) ** 2
    bulge = np.sqrt(np.maximum(thick**2 - square, 0)) / 60
    far = first[2] + t * along[2] - bulge
    nearer = (square < thick**2) & (far < depth)
    depth[nearer], part[nearer] = far[nearer], number


def body() -> tuple[np.ndarray, np.ndarray]:
    """Return the depth of each pixel and its part; -1 is the background."""
    depth, part = np.full((HIGH, WIDE), FAR), np.full((HIGH, WIDE), -1)
    far = random.uniform(1.8, 3.0)
    size = 2.2 / far
    middle = np.array([50.0, random.uniform(60, 100), far])

    def place(down: float, across: float, nearer: float) -> np.ndarray:
        return middle + np.array([down * size, across * size, -nearer])

    rod(depth, part, 1, np.array([place(-14, 0, 0), place(16, 0, 0)]), 11 * size)
    rod(depth, part, 0, np.array([place(-33, 0, 0), place(-31, 0, 0)]), 8.5 * size)
    for side, arm, leg in ((-1, 2, 4), (1, 3, 5)):
        turn, reach = random.uniform(-0.9, 1.5), random.uniform(-0.1, 0.4)
        elbow = place(-18 + 17 * np.cos(turn), side * (14 + 17 * np.sin(turn)), reach / 2)
        bend = turn + random.uniform(0, 1.3)
        hand = elbow + np.array(
            [15 * size * np.cos(bend), side * 15 * size * np.sin(bend), -reach / 2]
        )
        rod(depth, part, arm, np.array([place(-18, side * 13, 0), elbow]), 4.5 * size)
        rod(depth, part, arm, np.array([elbow, hand]), 4.0 * size)
        step = random.uniform(0, 12)
        foot = place(62, side * (7 + step), random.uniform(-0.2, 0.3))
        rod(depth, part, leg, np.array([place(20, side * 7, 0), foot]), 5.5 * size)
    return depth + random.normal(0, 0.01, depth.shape) * (part >= 0), part


# %%
# Differences of depth
# --------------------
#
# A feature compares the depth at two places near the pixel. The offsets are divided by the depth of
# the pixel itself: a body twice as far away gives the same features.

n_features = 30 if SMALL else 60
offsets = random.normal(0, 40, size=(n_features, 2, 2))
offsets[: n_features // 2, 1] = 0


def differences(depth: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """Return one row of features for each pixel."""
    down, across = pixels // WIDE, pixels % WIDE
    near = depth.ravel()
    scale = 2.0 / near[pixels]
    padded = np.full((3 * HIGH, 3 * WIDE), FAR, dtype=np.float32)
    padded[HIGH : 2 * HIGH, WIDE : 2 * WIDE] = depth
    flat = padded.ravel()
    rows = np.empty((len(pixels), n_features), dtype=np.float32, order="F")
    for k in range(n_features):
        ends = []
        for step in offsets[k]:
            d = np.clip((down + step[0] * scale).astype(np.int32) + HIGH, 0, 3 * HIGH - 1)
            a = np.clip((across + step[1] * scale).astype(np.int32) + WIDE, 0, 3 * WIDE - 1)
            ends.append(flat[d * (3 * WIDE) + a])
        rows[:, k] = ends[0] - ends[1]
    return rows


n_bodies, n_pixels = (15, 150) if SMALL else (200, 400)
rows, parts = [], []
for _ in range(n_bodies):
    depth, part = body()
    pixels = random.choice(np.flatnonzero(part.ravel() >= 0), n_pixels)
    rows.append(differences(depth, pixels))
    parts.append(part.ravel()[pixels])
X, y = np.concatenate(rows), np.array(PARTS)[np.concatenate(parts)]
model = ExtraTreesClassifier(
    n_estimators=3, max_depth=14, max_features=0.5, bootstrap=False, oob_score=False, n_jobs=2
).fit(X, y)

# %%
# New bodies
# ----------

shown, words, truth, said = [], [], [], []
for _ in range(3):
    depth, part = body()
    pixels = np.flatnonzero(part.ravel() >= 0)
    labels = model.predict(differences(depth, pixels))
    numbers = np.full(depth.size, -1.0)
    numbers[pixels] = [PARTS.index(label) for label in labels]
    shown += [np.minimum(depth, 4), part.astype(float), numbers.reshape(depth.shape)]
    words += ["depth", "true parts", "predicted parts"]
    truth.append(part.ravel()[pixels])
    said.append(numbers[pixels].astype(int))
bodies = Images(tuple(shown), tuple(words), n_columns=3, title="Three bodies that were not used")
truth, said = np.concatenate(truth), np.concatenate(said)
accuracy = float(np.mean(truth == said))
counts = np.zeros((6, 6), dtype=int)
np.add.at(counts, (truth, said), 1)
confusion_of_parts = draw_confusion(counts, PARTS)
print(f"{accuracy:.2f} of the pixels are right")

# %%
# How fast?
# ---------


def least_seconds(call: Callable[[], object]) -> float:
    """Return the shortest time of several calls."""
    found = []
    for _ in range(2 if SMALL else 30):
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return min(found)


frame = differences(depth, np.arange(HIGH * WIDE))
of_frame = least_seconds(lambda: model.predict(frame))
of_body = least_seconds(lambda: model.predict(differences(depth, pixels)))
print(f"all {len(frame):,} pixels of a frame: the forest labels {1 / of_frame:.0f} frames a second")
print(
    f"the {len(pixels):,} pixels of a body, with their differences in NumPy: {1 / of_body:.0f} "
    "frames a second"
)

# %%
# What was learned
# ----------------
#
# - One pixel at a time, no idea of a skeleton, and nearly all pixels are right: the questions carry
#   the knowledge.
# - Dividing the offsets by the depth makes the features independent of how far away a body is.
#   Invariance that is built in need not be learned.
# - Left and right are confused where an arm crosses the body; more and deeper trees help there.
