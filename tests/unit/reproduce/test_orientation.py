"""Angles of simulated images: the order of pixels, learned features and tuned features."""

from tests.unit.charts.drawing_checks import check_picture

from branchline.reproduce import orientation


def test_tuned_features_are_better_than_learned_ones_and_these_than_pixels():
    told = []
    found = orientation(quick=True, tell=told.append)
    assert found.agrees, found
    assert found.lines[0].name == "inputs"
    assert len(told) == 2
    check_picture(found.draw())
