"""
A sine by trees of growing depth
================================

A regression tree is a staircase. How many steps should it have? Too few, and it misses the
shape; too many, and it follows the noise. Cross-validation finds the depth between.
"""

import os

import numpy as np

import branchline as bl
from branchline.assess.curves import validation_curve
from branchline.charts import Axis, Chart, Line, Panels, Points
from branchline.tree import DecisionTreeRegressor

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# 150 noisy points of a sine
# --------------------------

random = np.random.default_rng(3)
n_rows = 60 if SMALL else 150
x = np.sort(random.uniform(0, 2 * np.pi, n_rows))
y = np.sin(x) + random.normal(0, 0.3, n_rows)
table = bl.Table({"x": x})
grid = np.linspace(0, 2 * np.pi, 400)
places = bl.Table({"x": grid})


def staircase(depth: int) -> Chart:
    """Return a chart of the tree of one depth, with the rows and the truth."""
    model = DecisionTreeRegressor(max_depth=depth, prune=None).fit(table, y)
    return Chart(
        (
            Points(x, y, "rows", color="quiet"),
            Line(grid, np.sin(grid), "truth", dashed=True),
            Line(grid, model.predict(places), "tree"),
        ),
        Axis("x"),
        Axis("y", ends=(-1.9, 1.9)),
        f"depth {depth}: {model.get_n_leaves()} leaves",
    )


four_depths = Panels(tuple(staircase(depth) for depth in (1, 2, 4, 8)))

# %%
# Which depth?
# ------------
#
# Training error falls with every level. The error on rows that the tree has not seen does not.

depths = [1, 2, 4, 8] if SMALL else list(range(1, 11))
curve = validation_curve(
    DecisionTreeRegressor(prune=None), table, y, parameter="max_depth", values=depths, metric="rmse"
)
errors_by_depth = curve.draw()
means = [point.test.estimate for point in curve.points]
best = depths[int(np.argmin(means))]
print(f"smallest validation error at depth {best}: {min(means):.3f} (the noise is 0.3)")

# %%
# Pruning finds a size by itself: the default of ``DecisionTreeRegressor`` grows a large tree and
# takes back the branches that do not pay, by ten folds inside the training rows.

pruned = DecisionTreeRegressor().fit(table, y)
print(f"pruned by the default: {pruned.get_n_leaves()} leaves")

# %%
# What was learned
# ----------------
#
# - Depth 1 sees only "high on the left, low on the right". Depth 8 draws spikes around single rows.
# - The validation error is smallest at a depth of two to four, and close to the noise there.
# - A tree approximates a smooth curve by steps. Where a curve is known to be smooth, a basis or a
#   kernel needs fewer rows; where it jumps, the tree is better.
