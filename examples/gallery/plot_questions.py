"""
Twenty questions
================

Somebody thinks of a person or a thing, you ask questions with the answers yes and no. How many do
you need? A decision tree that asks the most informative question first comes close to the least
possible number, which information theory knows: the entropy.
"""

import os

import numpy as np

import branchline as bl
from branchline.charts import Axis, Chart, Line
from branchline.tree import ID3

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Ten people
# ----------
#
# The bundled table ``names`` describes ten people. A tree of questions is grown to the end;
# ``mean_depth_`` is the number of questions that it takes on average.

people = bl.load_dataset("names")
X, y = people.split_target("name")
tree = ID3().fit(X, y)
print(tree.to_text())
print(f"{tree.mean_depth_:.1f} questions on average; log2(10) = {np.log2(10):.2f}")
tree_of_people = tree.draw()

# %%
# The tree asks less than log2(10) questions because two questions have three answers, and because
# Georgia and Helen look the same in the table. A dialogue puts the questions one by one.

dialogue = tree.ask()
known = {"size": "short", "gender": "F"}
for question in dialogue:
    outcome = dialogue.answer(known.get(question.column))
print(outcome)

# %%
# Hundreds of things
# ------------------
#
# Now made-up things with sixteen properties each. Some things are thought of more often than
# others, as in the real game: the k-th one with a probability proportional to 1/k. No questions
# can need fewer than H on average, where H is the entropy of these probabilities, in bits.

random = np.random.default_rng(20)
sizes = [8, 16, 32, 64] if SMALL else [8, 16, 32, 64, 128, 256, 512]
needed, bound = [], []
for n_things in sizes:
    codes = random.choice(2**16, size=n_things, replace=False)
    properties = (codes[:, None] >> np.arange(16)) & 1
    names = [f"thing {k + 1}" for k in range(n_things)]
    times = np.round(n_things / np.arange(1, n_things + 1)).astype(int)  # thought of that often
    rows = np.repeat(np.arange(n_things), times)
    table = bl.Table({f"property {j + 1}": properties[rows, j] for j in range(16)})
    found = ID3().fit(table, [names[k] for k in rows])
    share = times / times.sum()
    needed.append(found.mean_depth_)
    bound.append(-float((share * np.log2(share)).sum()))

questions_needed = Chart(
    (
        Line(sizes, needed, "questions of the tree", dots=True),
        Line(sizes, bound, "entropy: no way to need fewer", dashed=True),
    ),
    Axis("things", log=True),
    Axis("questions on average", zero=True),
    "How many questions until the answer is known",
)
excess = max(a - b for a, b in zip(needed, bound, strict=True))
print(f"At most {excess:.2f} questions more than the entropy.")

# %%
# What was learned
# ----------------
#
# - Asking the most informative question first needs little more than the entropy: about one
#   question more for 512 things, less for fewer.
# - Doubling the number of things costs about half a question here, not a whole one: what is
#   thought of often is asked for first. With twenty questions one would reach all of 2^20 things.
# - A person who does not know an answer may say so: the dialogue goes on with the likelier branch.
