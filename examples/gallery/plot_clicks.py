"""
Click-through: a stream of rows, millions of features, few weights
===================================================================

Will somebody click on an advertisement? Rows come in a stream and are seen once. There are as many
features as there are sites, advertisements, words and pairs of them. A logistic regression
that hashes names into a fixed number of weights learns from it in constant memory.
"""

import os
import time

import numpy as np

import branchline as bl
from branchline.charts import Axis, Chart, Line
from branchline.linear import HashedLogisticRegression

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# A generated stream
# ------------------
#
# 1,000 sites and 5,000 advertisements, most of them rare. Only some of them matter for a click.

random = np.random.default_rng(2)
N_SITES, N_ADS = 1000, 5000
effect_of_site = random.normal(0, 1.2, N_SITES) * (random.random(N_SITES) < 0.2)
effect_of_ad = random.normal(0, 1.2, N_ADS) * (random.random(N_ADS) < 0.2)


def batch(n_rows: int) -> tuple[bl.Table, np.ndarray, np.ndarray]:
    """Return views of advertisements, what happened, and the true probabilities."""
    site = (random.pareto(0.8, n_rows) * 5).astype(int) % N_SITES
    ad = (random.pareto(0.8, n_rows) * 10).astype(int) % N_ADS
    hour = random.integers(0, 24, n_rows)
    odds = -2.5 + effect_of_site[site] + effect_of_ad[ad] + 0.5 * (hour > 19)
    truth = 1 / (1 + np.exp(-odds))
    table = bl.Table(
        {
            "site": [f"site {k}" for k in site],
            "ad": [f"ad {k}" for k in ad],
            "hour": [f"hour {k}" for k in hour],
        }
    )
    return table, np.where(random.random(n_rows) < truth, "click", "no"), truth


def log_loss(clicked: np.ndarray, probability: np.ndarray) -> float:
    """Return the mean of minus the log of the probability of what happened."""
    p = np.clip(probability, 1e-9, 1 - 1e-9)
    return float(-np.where(clicked == "click", np.log(p), np.log(1 - p)).mean())


# %%
# Learn, batch by batch
# ---------------------
#
# Each batch is predicted before it is learned from, so every figure is on rows not seen before.

n_batches, n_rows = (8, 4000) if SMALL else (40, 5000)
model = HashedLogisticRegression(n_features=2**16)
seen, losses, best_losses, constant_losses = [], [], [], []
seconds, rate = 0.0, 0.5
for k in range(n_batches):
    table, clicked, truth = batch(n_rows)
    if k:
        place = list(model.classes_).index("click")
        seen.append(k * n_rows)
        losses.append(log_loss(clicked, model.predict_proba(table)[:, place]))
        best_losses.append(log_loss(clicked, truth))
        constant_losses.append(log_loss(clicked, np.full(n_rows, rate)))
    begin = time.process_time()
    model.partial_fit(table, clicked, classes=["click", "no"])
    seconds += time.process_time() - begin
    rate = float((clicked == "click").mean())

progress = Chart(
    (
        Line(seen, constant_losses, "share of clicks only", dashed=True),
        Line(seen, losses, "hashed logistic regression"),
        Line(seen, best_losses, "true probabilities", dashed=True),
    ),
    Axis("rows seen"),
    Axis("log loss of the next batch"),
    "Learning from a stream, one look at each row",
)
print(f"{n_batches * n_rows / seconds:,.0f} rows a second on one core")

# %%
# Few weights are needed
# ----------------------

used = model.complexity().count
print(f"{used:,} of {model.n_features:,} weights are not zero")

# %%
# What was learned
# ----------------
#
# - Memory does not grow with the stream: 65,536 weights, however many names appear.
# - The model closes about two thirds of the way from "the share of clicks" to the true
#   probabilities, which no model can beat on average.
# - Two names can share a weight. With many more weights than frequent names that costs little.
