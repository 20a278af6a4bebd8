"""
Leukemia: thousands of columns, a few dozen rows
================================================

Measurements of thousands of genes in 72 patients with one of two kinds of leukemia are a classic of
the field. That table is not bundled: here a generated one of the same shape stands in for it,
with the advantage that we know which genes matter. ``branchline reproduce golub`` runs the
published analysis on the real table, when you have it.
"""

import os

import numpy as np

import branchline as bl
from branchline.assess import cross_validate
from branchline.charts import Axis, Chart, Line, Points
from branchline.cluster import draw_heat_map
from branchline.features import rank_columns
from branchline.forest import RandomForestClassifier

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# 72 patients
# -----------
#
# 40 genes follow the kind of leukemia; 60 others follow something else (the laboratory, say). The
# rest is noise.

random = np.random.default_rng(4)
n_genes = 300 if SMALL else 3000
kinds = np.repeat(["ALL", "AML"], [47, 25])
laboratory = random.random(72) < 0.5
levels = random.normal(0, 1, size=(72, n_genes))
matters = np.arange(40)
levels[:, matters] += np.outer(kinds == "AML", random.choice([-1.6, 1.6], 40))
levels[:, 40:100] += np.outer(laboratory, random.choice([-2.5, 2.5], 60))
order = random.permutation(n_genes)
levels = levels[:, order]
names = [f"gene {j + 1}" for j in range(n_genes)]
genes = bl.Table({name: levels[:, j] for j, name in enumerate(names)})
true_genes = {names[j] for j in np.flatnonzero(order < 40)}
laboratory_genes = {names[j] for j in np.flatnonzero((order >= 40) & (order < 100))}

# %%
# Which genes, and are they more than luck?
# -----------------------------------------
#
# q is the share of false finds to expect among all genes up to this one.

ranking = rank_columns(genes, kinds, by="t")
found = [name for name, q in zip(ranking.names, ranking.q_values, strict=True) if q < 0.05]
share = len(true_genes & set(found)) / len(found)
n_confused = len(laboratory_genes & set(found))
print(
    f"{len(found)} genes with q < 0.05: {share:.0%} of them follow the kind of leukemia, "
    f"{n_confused} the laboratory"
)
q_values = Chart(
    (
        Line(np.arange(1, 101), ranking.q_values[:100], "q of the k-th gene"),
        Line([1, 100], [0.05, 0.05], "0.05", dashed=True),
    ),
    Axis("genes, best first", form="whole"),
    Axis("share of false finds", zero=True),
    "How far down the list can one trust it?",
)

# %%
# The 100 genes that vary most
# ----------------------------
#
# They are chosen without the target. The groups that appear are those of the laboratory: what
# varies most is not what matters most.

most_varied = np.argsort(-levels.var(axis=0))[:100]
heat_map = draw_heat_map(genes.select([names[j] for j in most_varied]), row_names=list(kinds))

# %%
# Fewer and fewer genes
# ---------------------
#
# Each size is chosen inside each training set. A forest needs few of the genes.

sizes = [2, 20] if SMALL else [1, 2, 5, 10, 20, 50, 100]
forest = RandomForestClassifier(n_estimators=20 if SMALL else 50)
scores = [cross_validate(forest, genes, kinds, n_folds=5, select=f"t:{n}").score for n in sizes]
by_size = Chart(
    (
        Points(
            sizes,
            [score.estimate for score in scores],
            "accuracy, 5 folds",
            low=[score.low for score in scores],
            high=[score.high for score in scores],
        ),
    ),
    Axis("genes kept", log=True),
    Axis("accuracy"),
    "How many genes are enough?",
)

# %%
# What was learned
# ----------------
#
# - A list of genes comes with its share of false finds. Without it, the best of thousands of noise
#   columns looks convincing.
# - The share is an average: q < 0.05 promises one false find in twenty over many tables. In this
#   table there are more.
# - Variance is not relevance: the picture of the most varied genes shows the laboratory.
# - A handful of genes predicts as well as a hundred; intervals of 72 patients are wide, and say so.
