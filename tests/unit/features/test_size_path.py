"""How many columns are kept: the path can be read and drawn."""

from branchline import load_dataset
from branchline.features import RankSelector


def test_sizes_are_chosen_by_inner_folds_and_can_be_read():
    X, y = load_dataset("heart").split_target("disease")
    model = RankSelector().fit(X, y)
    assert model.path_.chosen == model.n_selected_
    assert "← chosen" in str(model.path_)
    assert model.path_.draw().to_svg().startswith("<svg")
    assert model.path_.to_frame()["chosen"].sum() == 1
