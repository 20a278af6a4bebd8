"""Policies from tables of transitions: dirty tables, saving, values with intervals."""

import numpy as np
import pytest

import branchline as bl
from branchline.decide import FittedQ, evaluate_off_policy
from branchline.errors import BranchlineWarning, DataError, ModelFileError


def corridor(n_rows: int = 400, seed: int = 0) -> dict:
    """Places 0 to 6; the goal is 6. Half of the steps go right. Rows are steps of episodes."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list] = {name: [] for name in
                             ("place", "floor", "action", "reward", "next_place", "next_floor",
                              "done", "episode")}  # fmt: skip
    episode, place = 0, 0
    for _ in range(n_rows):
        move = int(rng.choice([-1, 1]))
        after = min(max(place + move, 0), 6)
        floors = [None if rng.random() < 0.1 else f"f{at % 2}" for at in (place, after)]
        new = (place, floors[0], "right" if move > 0 else "left", -1.0, after, floors[1],
               after == 6, episode)  # fmt: skip
        for name, cell in zip(rows, new, strict=True):
            rows[name].append(cell)
        if after == 6:
            episode, place = episode + 1, int(rng.integers(0, 6))
        else:
            place = after
    return rows


def states_of() -> dict:
    rows = corridor()
    return {name: rows[name] for name in ("place", "floor")}


@pytest.fixture(scope="module")
def model():
    return FittedQ(discount=0.9, n_estimators=10, n_iterations=25, episode="episode").fit(
        corridor()
    )


def test_the_shortest_way_is_found_on_a_mixed_table_with_missing_cells(model):
    states = {"place": np.arange(6), "floor": ["f0", "f1", None, "f1", "f0", "f1"]}
    assert set(model.predict(states)) == {"right"}
    worth = model.action_values(states).max(axis=1)
    steps = 6 - np.arange(6)
    assert worth == pytest.approx(-(1 - 0.9**steps) / 0.1, rel=0.05)


def test_a_saved_policy_acts_the_same(model, tmp_path):
    model.save(tmp_path / "policy.branchline")
    again = bl.load(tmp_path / "policy.branchline")
    assert (again.action_values(states_of()) == model.action_values(states_of())).all()
    assert again.actions_.tolist() == ["left", "right"]


def test_a_damaged_policy_is_refused(model):
    packed = dict(model._pack())
    for change in ({"steps": 0.5}, {"steps": np.nan}, {"classes": ["left"]}, {"forest": None}):
        with pytest.raises(ModelFileError):
            FittedQ()._unpack({**packed, **change}, model.schema_)


def test_threads_do_not_change_a_value(model):
    other = FittedQ(
        discount=0.9, n_estimators=10, n_iterations=25, episode="episode", n_jobs=1
    ).fit(corridor())
    assert (other.action_values(states_of()) == model.action_values(states_of())).all()


def test_the_interval_covers_the_value_of_a_policy(model):
    table = corridor(1500, seed=1)
    first = np.unique(table["episode"], return_index=True)[1]
    truth = np.mean(-(1 - 0.9 ** (6 - np.array(table["place"])[first])) / 0.1)
    fitted = model.evaluate(table, n_bootstraps=40)
    assert fitted.value.estimate == pytest.approx(truth, abs=0.1)
    assert 0.4 < fitted.value.high - fitted.value.low < 1.6


def test_importance_sampling_of_single_steps_is_the_mean_of_the_action():
    rng = np.random.default_rng(2)
    arm = rng.choice(["a", "b"], size=300, p=[0.3, 0.7])
    rows = {"x": np.zeros(300), "action": arm, "reward": rng.normal(size=300) + (arm == "a"),
            "next_x": np.zeros(300), "done": np.ones(300), "episode": np.arange(300)}  # fmt: skip
    taken = np.where(arm == "a", 0.3, 0.7)
    found = evaluate_off_policy(
        rows, "a", method="importance", episode="episode", probability=taken
    )
    assert found.value.estimate == pytest.approx(rows["reward"][arm == "a"].mean())
    assert found.value.low < 1 < found.value.high
    assert found.n_effective == pytest.approx((arm == "a").sum())


def test_a_short_tree_says_the_policy_and_what_it_costs(model):
    tree = model.policy_tree(corridor(), max_leaf_nodes=3)
    assert tree.agreement > 0.9
    assert "value" in str(tree)
    assert "The short tree" in tree.sentence()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"next_place": None, "next_floor": None}, "D803"),
        ({"reward": None}, "D803"),
        ({"done": ["perhaps"] * 400}, "D804"),
        ({"action": [None] * 400}, "D804"),
    ],
)
def test_tables_that_are_no_transitions_are_refused(change, code):
    rows = {name: cells for name, cells in {**corridor(), **change}.items() if cells is not None}
    with pytest.raises(DataError) as caught:
        FittedQ(n_estimators=2, n_iterations=1).fit(rows)
    assert caught.value.code == code


def test_actions_never_tried_and_episodes_not_given_are_refused():
    with pytest.raises(DataError) as caught:
        evaluate_off_policy(corridor(), "jump", n_bootstraps=2)
    assert caught.value.code == "D805"
    with pytest.raises(DataError) as caught:
        evaluate_off_policy(corridor(), "right", method="importance", n_bootstraps=2)
    assert caught.value.code == "D806"


def test_few_episodes_of_weight_are_warned_of():
    with pytest.warns(BranchlineWarning, match="not reliable"):
        evaluate_off_policy(corridor(60), "right", method="importance", episode="episode",
                            n_bootstraps=5)  # fmt: skip
