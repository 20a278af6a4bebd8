"""
Pedestrians: gradients, a linear machine, a sliding window
==========================================================

A window of 128 × 64 pixels becomes 1,024 numbers: how strong the edges of each of eight directions
are in each of 16 × 8 cells. A linear support vector machine separates people from everything else.
To find people in a picture, the window slides over it: a person is where f > 0.

Backgrounds are parts of photographs that come with scikit-learn; the people are drawn by a program.
"""

import os
import time

import numpy as np
from sklearn.datasets import load_sample_image

from branchline.charts import Images
from branchline.svm import LinearSVC

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"
HIGH, WIDE, CELL, N_DIRECTIONS = 128, 64, 8, 8

# %%
# Pictures of people
# ------------------

random = np.random.default_rng(6)
photographs = [load_sample_image(name).mean(axis=2) / 255 for name in ("china.jpg", "flower.jpg")]


def background(high: int, wide: int) -> np.ndarray:
    """Return a random part of a photograph."""
    image = photographs[random.integers(2)]
    top, left = (random.integers(0, n - m) for n, m in zip(image.shape, (high, wide), strict=True))
    part = image[top : top + high, left : left + wide]
    return part[:, ::-1].copy() if random.random() < 0.5 else part.copy()


def add_person(image: np.ndarray, top: int, left: int) -> None:
    """Draw a person of 112 pixels: head, body, two legs that walk, two arms."""
    down, across = np.mgrid[0:HIGH, 0:WIDE].astype(float)
    across -= 32 + random.normal(0, 1.5)
    stride, arm = random.uniform(0, 11), random.uniform(0, 8)
    body = ((down - 20) / 10) ** 2 + (across / 8) ** 2 < 1
    body |= (np.abs(across) < 13 - 0.06 * (down - 32)) & (down > 31) & (down < 74)
    for side in (-1, 1):
        leg = across - side * (5 + stride * (down - 72) / 46)
        body |= (np.abs(leg) < 5) & (down > 70) & (down < 118)
        reach = across - side * (14 + arm * (down - 34) / 36)
        body |= (np.abs(reach) < 3.5) & (down > 33) & (down < 70)
    part = image[top : top + HIGH, left : left + WIDE]
    shade = random.uniform(0, 0.25) if random.random() < 0.6 else random.uniform(0.75, 1)
    cloth = shade + random.normal(0, 0.04, body.shape)
    part[body] = np.clip(cloth[body] + 0.1 * (down[body] > 72), 0, 1)


# %%
# From a picture to cells of directions
# -------------------------------------


def cells_of(image: np.ndarray) -> np.ndarray:
    """Return, for each cell of 8 × 8 pixels, the strength of the edges of eight directions."""
    by_down, by_across = np.gradient(image)
    strength = np.hypot(by_down, by_across)
    turn = (np.arctan2(by_down, by_across) % np.pi) / np.pi * N_DIRECTIONS
    high, wide = image.shape[0] // CELL, image.shape[1] // CELL
    place = np.floor(turn).astype(int)
    share = turn - place
    cells = np.zeros((high * wide, N_DIRECTIONS))
    row, column = (np.arange(n * CELL) // CELL for n in (high, wide))
    number = (row[:, None] * wide + column).ravel()
    strength, place, share = (
        a[: high * CELL, : wide * CELL].ravel() for a in (strength, place, share)
    )
    for step, weight in ((0, 1 - share), (1, share)):
        where = number * N_DIRECTIONS + (place + step) % N_DIRECTIONS
        cells += np.bincount(where, strength * weight, cells.size).reshape(cells.shape)
    return cells.reshape(high, wide, N_DIRECTIONS)


def normalized(cells: np.ndarray) -> np.ndarray:
    """Divide each cell by the strength of its neighborhood, so that light does not matter."""
    energy = np.pad((cells**2).sum(axis=2), 1, mode="edge")
    around = sum(
        energy[a : a + cells.shape[0], b : b + cells.shape[1]] for a in range(3) for b in range(3)
    )
    return np.minimum(cells / np.sqrt(around + 0.01)[:, :, None], 0.4)


def features(image: np.ndarray) -> np.ndarray:
    """Return 1,024 numbers of a window."""
    return normalized(cells_of(image)).ravel()


# %%
# Learn
# -----

n_each = 60 if SMALL else 400
people, others = [], [background(HIGH, WIDE) for _ in range(2 * n_each)]
for _ in range(n_each):
    people.append(background(HIGH, WIDE))
    add_person(people[-1], 0, 0)
some_windows = Images(
    (*people[:6], *others[:6]), n_columns=6, title="Windows with and without a person"
)

X = np.array([features(image) for image in (*people, *others)])
y = np.repeat(["person", "other"], [len(people), len(others)])
is_test = np.arange(len(y)) % 4 == 0
model = LinearSVC(C=0.1).fit(X[~is_test], y[~is_test])
accuracy = float(model.score(X[is_test], y[is_test]))
print(f"{X.shape[1]} numbers per window; {accuracy:.3f} of the windows not seen are right")

# %%
# What the machine looks at: weights that speak for a person, for upright and level edges.

sign = 1 if list(model.classes_)[1] == "person" else -1
weights = sign * np.ravel(model.coef_).reshape(16, 8, N_DIRECTIONS)
what_it_looks_for = Images(
    (weights[:, :, 0], weights[:, :, N_DIRECTIONS // 2]),
    ("upright edges", "level edges"),
    n_columns=2,
    title="Weights of the cells: white speaks for a person",
)

# %%
# Slide
# -----
#
# Cells are computed once for the whole picture. f at every place is a sum over the cells below the
# window: no window is looked at twice.

scene = background(240, 320)
truth = [(40, 30), (70, 210)]
for top, left in truth:
    add_person(scene, top, left)
begin = time.process_time()
cells = normalized(cells_of(scene))
stack = np.lib.stride_tricks.sliding_window_view(cells, (16, 8), axis=(0, 1))
f = sign * float(np.ravel(model.intercept_)[0]) + np.einsum("ijdab,abd->ij", stack, weights)
seconds = time.process_time() - begin
found = []
scores = f.copy()
while scores.max() > 0 and len(found) < 10:
    row, column = np.unravel_index(np.argmax(scores), scores.shape)
    found.append((int(row) * CELL, int(column) * CELL))
    scores[max(0, row - 8) : row + 9, max(0, column - 4) : column + 5] = -np.inf
marked = scene.copy()
for top, left in found:
    for edge in (slice(top, top + HIGH, HIGH - 1), slice(top + 1, top + HIGH, HIGH - 1)):
        marked[edge, left : left + WIDE] = 1
    for edge in (slice(left, left + WIDE, WIDE - 1), slice(left + 1, left + WIDE, WIDE - 1)):
        marked[top : top + HIGH, edge] = 1
search = Images(
    (marked, np.kron(f, np.ones((CELL, CELL)))),
    ("found: white frames", "f at each place: bright is high"),
    n_columns=2,
    title="A person is where f > 0 and highest",
)
print(f"people at {truth}, found at {found}, {1 / seconds:.0f} pictures a second on one core")

# %%
# What was learned
# ----------------
#
# - Good features make the learner simple: a linear machine on directions of edges is enough.
# - Light, clothes and background change every pixel, but hardly the directions of the outline.
# - Drawn people are easier than real ones. The steps are those of the original.
