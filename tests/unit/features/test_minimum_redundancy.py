"""Columns that tell much of the target and little of each other."""

from branchline import load_dataset
from branchline.features import MinimumRedundancy


def test_copies_are_not_both_taken():
    table, y = load_dataset("iris").split_target("species")
    X = table.to_pandas()
    X["copy"] = X["petal_width"]
    chosen = MinimumRedundancy(n_columns=2).fit(X, y).get_feature_names_out()
    assert len({"copy", "petal_width"} & set(chosen)) == 1
