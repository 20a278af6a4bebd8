"""
Pronunciation: how does one say "c"?
====================================

In English the letter c sounds like k in "cat", like s in "city", like ch in "chess". Which sound
it is depends on the letters around it. A tree may ask questions that a person would ask, such as
"is the next letter one of e, i, y?".
"""

import os

import branchline as bl
from branchline.assess import cross_validate
from branchline.charts import IntervalRow, interval_rows
from branchline.tree import DecisionTreeClassifier

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Words
# -----

SAYS_K = """
act actor active back bacon because black block book-case brick cab cable cactus cake call calm came
camp can candle car card care carpet castle cat catch cause cave clap clay clean clear clock close
cloth cloud club coal coast coat cobra code coffee coin cold color comb come cook cool copper corn
cost count cow crab cradle crane crash cream credit crew crisp crop cross crow crown cruel cry
cube culture cup cure curl cut direct doctor duck electric expect factor fact insect local lock
lucky magic music neck object octopus public rocket school scale scare screen second select
structure sock stick subject topic traffic truck uncle victor
""".split()
SAYS_S = """
acid advice bicycle cedar ceiling celery cell cement cent center central century ceramic cereal
certain cider cigar cinema circle circus citizen city civil cycle cylinder cypress dance decent
December decide dice excel except exercise face fancy fence force France grace ice icy juice lace
lettuce mice mercy notice office pace parcel peace pencil piece place policy price prince princess
race recent recipe rice sauce science scene scent silence slice space spicy twice voice
""".split()
SAYS_CH = """
beach bench branch cheap cheek cheese cherry chess chest chicken child chin chip choose chop church
coach couch each inch lunch march much peach porch ranch reach rich speech such teach torch touch
which
""".split()

# %%
# The two letters before and after
# --------------------------------


def window(word: str) -> dict[str, str]:
    """Return the letters around the first c; '_' is the edge of the word."""
    padded = f"__{word.lower()}__"
    place = padded.index("c", 2)
    names = ("two before", "before", "after", "two after")
    steps = (-2, -1, 1, 2)
    return {name: padded[place + step] for name, step in zip(names, steps, strict=True)}


words = [*SAYS_K, *SAYS_S, *SAYS_CH]
sounds = ["k"] * len(SAYS_K) + ["s"] * len(SAYS_S) + ["ch"] * len(SAYS_CH)
rows = [window(word) for word in words]
table = bl.Table({name: [row[name] for row in rows] for name in rows[0]})

# %%
# Questions
# ---------

questions = {
    "front vowel": "eiy",
    "vowel": "aeiouy",
    "liquid": "lr",
    "edge": "_",
}
tree = DecisionTreeClassifier(questions=questions, rule="one_se").fit(table, sounds)
print(tree.to_text())
questions_asked = tree.draw()

# %%
# Do the questions help?
# ----------------------

learners = {
    "letters only": DecisionTreeClassifier(),
    "with questions": DecisionTreeClassifier(questions=questions),
    "naive Bayes": bl.make("naive_bayes", task="classification"),
}
n_folds = 5 if SMALL else 10
scores = {
    name: cross_validate(model, table, sounds, n_folds=n_folds).score
    for name, model in learners.items()
}
accuracies = interval_rows(
    [
        IntervalRow(name, score.estimate, score.low, score.high, f"{score.estimate:.2f}")
        for name, score in scores.items()
    ],
    f"accuracy, {n_folds} folds",
    "How one says c: words not seen before",
)
new_words = ["cinnamon", "camel", "chalk", "crocus"]
new_rows = [window(word) for word in new_words]
new_table = bl.Table({name: [row[name] for row in new_rows] for name in new_rows[0]})
print(dict(zip(new_words, tree.predict(new_table).tolist(), strict=True)))

# %%
# What was learned
# ----------------
#
# - The tree finds the rule of the schoolbook: s before e, i, y; ch before h; else k.
# - Named questions keep the tree small and readable; they also work for letters that no training
#   word had at this place.
# - "School" stays wrong: no letter nearby says that its ch is a k. A model cannot know what its
#   columns do not hold.
