"""The main job: trees against simple baselines on German credit, with intervals.

Run by ``make demo``. The table is bundled; nothing is prepared by hand.
"""

from pathlib import Path

from branchline import load_dataset
from branchline.assess import cross_validate
from branchline.baseline import MajorityClassifier
from branchline.tree import C45, DecisionTreeClassifier, OneRule

MODELS = {
    "majority class": MajorityClassifier(),
    "one rule": OneRule(),
    "C4.5": C45(),
    "decision tree": DecisionTreeClassifier(),
}


def main() -> None:
    """Assess each model by 10-fold cross-validation, and read the tree."""
    table = load_dataset("german-credit")
    X, y = table.split_target("class")
    print(f"German credit: {table.n_rows} rows, {X.n_columns} inputs, target 'class'.\n")
    print("Accuracy by 10-fold cross-validation, with 95 % intervals:\n")
    for name, model in MODELS.items():
        score = cross_validate(model, X, y, folds=10).score
        print(f"  {name:<15} {score.estimate:.3f}   {score.low:.3f} to {score.high:.3f}")
    tree = DecisionTreeClassifier().fit(X, y)
    print("\nThe decision tree, learnt from all rows:\n")
    print("  " + tree.to_text().replace("\n", "\n  "))
    print("\nWhy its first test is what it is:\n")
    print("  " + "\n  ".join(str(tree.why()).split("\n")[:6]))
    drawing = Path("build") / "german-credit-tree.svg"
    drawing.parent.mkdir(exist_ok=True)
    tree.draw().save(drawing)
    print(f"\nA drawing of it is in {drawing}.")


if __name__ == "__main__":
    main()
