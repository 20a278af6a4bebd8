from branchline.reproduce import labels_in_noise


def test_chosen_inputs_return_the_labels_and_all_inputs_do_not():
    told = []
    found = labels_in_noise(8, tell=told.append)
    assert found.agrees
    assert [line.figures[0].ours > 0.5 for line in found.lines] == [True, False, False]
    assert len(told) == 3
