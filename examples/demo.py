"""The main job, thin for now: three simple models on German credit, with intervals.

Run by ``make demo``. The table is bundled; nothing is prepared by hand.
"""

from branchline import load_dataset
from branchline.assess import cross_validate
from branchline.baseline import MajorityClassifier
from branchline.tree import OneRule, Stump

MODELS = {
    "majority class": MajorityClassifier(),
    "one rule": OneRule(),
    "Gini stump": Stump(),
}


def main() -> None:
    """Assess each model by 10-fold cross-validation and print what was learnt."""
    table = load_dataset("german-credit")
    X, y = table.split_target("class")
    print(f"German credit: {table.n_rows} rows, {X.n_columns} inputs, target 'class'.\n")
    print("Accuracy by 10-fold cross-validation, with 95 % intervals:\n")
    for name, model in MODELS.items():
        score = cross_validate(model, X, y, folds=10).score
        print(f"  {name:<15} {score.estimate:.3f}   {score.low:.3f} to {score.high:.3f}")
    print("\nThe one rule, learnt from all rows:\n")
    print("  " + OneRule().fit(X, y).to_text().replace("\n", "\n  "))


if __name__ == "__main__":
    main()
