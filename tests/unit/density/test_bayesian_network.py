"""Bayesian networks of real and simulated tables: structure, questions, words, files."""

import numpy as np
import pandas as pd
import pytest

import branchline
from branchline import load_dataset
from branchline.density import BayesianNetwork
from branchline.errors import DataError, ParameterError

ASIA = {
    frozenset(pair)
    for pair in [
        ("asia", "tub"),
        ("smoke", "lung"),
        ("smoke", "bronc"),
        ("tub", "either"),
        ("lung", "either"),
        ("either", "xray"),
        ("either", "dysp"),
        ("bronc", "dysp"),
    ]
}


def asia(n_rows=5000, seed=0):
    """Draw rows from the published tables of Lauritzen and Spiegelhalter (1988)."""
    draws = np.random.default_rng(seed)

    def happens(probability):
        return draws.random(n_rows) < probability

    visit, smoke = happens(0.01), happens(0.5)
    tub = happens(np.where(visit, 0.05, 0.01))
    lung = happens(np.where(smoke, 0.1, 0.01))
    bronc = happens(np.where(smoke, 0.6, 0.3))
    either = tub | lung
    xray = happens(np.where(either, 0.98, 0.05))
    dysp = happens(np.where(either, np.where(bronc, 0.9, 0.7), np.where(bronc, 0.8, 0.1)))
    named = {"asia": visit, "smoke": smoke, "tub": tub, "lung": lung, "bronc": bronc}
    named |= {"either": either, "xray": xray, "dysp": dysp}
    return pd.DataFrame({name: np.where(cells, "yes", "no") for name, cells in named.items()})


@pytest.fixture(scope="module")
def model():
    return BayesianNetwork().fit(asia())


def joined(model):
    return {frozenset(edge) for edge in model.edges_}


def test_asia_is_found(model):
    assert len(joined(model) & ASIA) >= 7
    assert not joined(model) - ASIA


@pytest.mark.parametrize("seed", [0, 1])
def test_missing_cells_make_no_false_edges(seed):
    table = asia(seed=seed)
    holes = np.random.default_rng(seed).random(table.shape) < 0.05
    found = BayesianNetwork().fit(table.mask(holes))
    assert len(joined(found) & ASIA) >= 7
    assert len(joined(found) - ASIA) <= 1
    assert found.criterion_ is None
    answer = found.query({"smoke": "yes"}, of="bronc")["yes"]
    assert answer == pytest.approx(0.6, abs=0.04)


def test_hill_climbing_finds_a_network_nearly_as_good(model):
    climbed = BayesianNetwork(structure="hill_climbing").fit(asia())
    assert climbed.criterion_ == pytest.approx(model.criterion_, abs=1e-6)


def test_questions_are_answered_exactly(model):
    answer = model.query({"smoke": "yes"}, of="lung")
    rows = asia()
    share = (rows.lung[rows.smoke == "yes"] == "yes").mean()
    assert answer["yes"] == pytest.approx(share, abs=0.002)
    assert sum(answer.to_dict().values()) == pytest.approx(1)
    assert str(answer).startswith("Probability of lung, given smoke = yes:\n  no")
    both = model.query({"dysp": "yes"}, of=["lung", "bronc"])
    assert both.to_frame().probability.sum() == pytest.approx(1)
    alone = model.query({"dysp": "yes"}, of="lung")["yes"]
    assert both["yes", "yes"] + both["yes", "no"] == pytest.approx(alone)


def test_the_most_probable_row(model):
    assert model.most_probable({"xray": "yes"})["either"] == "yes"
    assert set(model.most_probable()) == set(asia().columns)


def test_known_cells_have_a_probability(model):
    rows = asia(50, seed=3)
    partly = rows.copy()
    partly.loc[:, "lung"] = None
    whole = pd.concat([rows.assign(lung=level) for level in ("yes", "no")])
    each = np.exp(model.score_samples(whole)).reshape(2, -1).sum(axis=0)
    np.testing.assert_allclose(np.exp(model.score_samples(partly)), each)
    assert model.score(asia()) * 5000 == pytest.approx(model.log_likelihood_)


def test_rows_that_are_drawn_look_like_the_table(model):
    drawn = model.sample(4000, random_state=1).to_pandas()
    for name in drawn:
        share = (asia()[name] == "yes").mean()
        assert (drawn[name] == "yes").mean() == pytest.approx(share, abs=0.03)


def test_missing_cells_are_filled():
    table = load_dataset("titanic").select(["pclass", "sex", "age", "sibsp", "survived"])
    model = BayesianNetwork().fit(table)
    filled = model.predict_missing(table)
    ages = filled.column("age").numbers()
    assert not np.isnan(ages).any()
    known = ~np.isnan(table.column("age").numbers())
    np.testing.assert_array_equal(ages[known], table.column("age").numbers()[known])


def test_numbers_have_cut_points_and_bins():
    table = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6, 7, 8] * 20, "old": list("nnnnyyyy") * 20})
    model = BayesianNetwork(n_bins=2).fit(table)
    assert model.cut_points_ == {"age": [4.5]}
    assert model.query({"age": 7}, of="old")["y"] > 0.95
    assert model.query({"old": "n"}, of="age")["≤ 4"] > 0.95
    drawn = model.sample(50).to_pandas()
    assert set(drawn.age) <= set(range(1, 9))


def test_edges_can_be_required_forbidden_and_ordered():
    rows = asia(1000)
    asked = {"required": [("asia", "tub")], "forbidden": [("lung", "either"), ("either", "lung")]}
    found = BayesianNetwork(**asked).fit(rows)
    assert ("asia", "tub") in found.edges_
    assert frozenset(("lung", "either")) not in joined(found)
    order = ["asia", "smoke", "tub", "lung", "bronc", "either", "xray", "dysp"]
    for structure in ("exact", "hill_climbing"):
        model = BayesianNetwork(order=order, root="smoke", structure=structure).fit(rows)
        assert all(order.index(a) < order.index(b) for a, b in model.edges_)
        assert model.parents_["smoke"] == []


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"required": [("asia", "nobody")]}, "P700"),
        ({"required": ["asia"]}, "P701"),
        ({"required": [("asia", "tub")], "forbidden": [("asia", "tub")]}, "P702"),
        ({"required": [("asia", "tub"), ("tub", "asia")]}, "P702"),
        ({"required": [("asia", "tub")], "max_parents": 0}, "P702"),
        ({"structure": "tan"}, "P703"),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(asked, code):
    with pytest.raises(ParameterError) as caught:
        BayesianNetwork(**asked).fit(asia(100))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("evidence", "code"),
    [({"smoke": "perhaps"}, "P706"), ({"nobody": "yes"}, "P700"), (["smoke"], "P705")],
)
def test_evidence_that_is_not_known_is_refused(model, evidence, code):
    with pytest.raises(ParameterError) as caught:
        model.query(evidence, of="lung")
    assert caught.value.code == code


def test_too_many_columns_are_refused():
    wide = np.random.default_rng(0).normal(size=(20, 1001))
    with pytest.raises(DataError) as caught:
        BayesianNetwork().fit(wide)
    assert caught.value.code == "D701"
    with pytest.raises(ParameterError) as caught:
        BayesianNetwork(structure="exact").fit(wide[:, :25])
    assert caught.value.code == "P704"


def test_inference_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1K")
    monkeypatch.setattr("branchline.density.network._elimination._CELLS", 16)
    draws = np.random.default_rng(0)
    causes = draws.integers(0, 2, (400, 6))
    table = np.column_stack([causes, causes.sum(axis=1) > 2])
    names = [f"c{at}" for at in range(6)]
    frame = pd.DataFrame(table, columns=[*names, "sum"]).astype(str)
    monkeypatch.delenv("BRANCHLINE_MEMORY")
    required = [(name, "sum") for name in names]
    model = BayesianNetwork(required=required, max_parents=6).fit(frame)
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1K")
    with pytest.raises(DataError) as caught:
        model.query({"sum": "1"}, of="c0")
    assert caught.value.code == "D700"


def test_words_name_what_depends_on_what(model):
    text = model.to_text()
    assert text.startswith("Bayesian network of 8 columns, 7 arrows.")
    assert "either depends on lung and tub" in text
    assert "could point the other way" in text
    assert set(model.reversible_) == {("lung", "smoke"), ("smoke", "bronc")}
    with_target = BayesianNetwork(target="lung").fit(asia()).to_text()
    assert "To predict lung, it is enough to know either, smoke and tub." in with_target


def test_tables_are_frames(model):
    frame = model.table_of("dysp")
    assert list(frame.columns) == ["bronc", "either", "dysp = no", "dysp = yes"]
    np.testing.assert_allclose(frame[["dysp = no", "dysp = yes"]].sum(axis=1), 1)
    assert set(model.markov_blanket("lung")) == {"either", "smoke", "tub"}


@pytest.mark.parametrize("structure", ["chow_liu", "tan", "naive"])
def test_trees(structure):
    model = BayesianNetwork(structure=structure, target="dysp").fit(asia())
    most = {"chow_liu": 1, "tan": 2, "naive": 1}[structure]
    assert max(len(parents) for parents in model.parents_.values()) <= most
    if structure != "chow_liu":
        assert all("dysp" in held for name, held in model.parents_.items() if name != "dysp")


def test_weights_are_copies_and_order_does_not_matter():
    rows = asia(300)
    weights = np.random.default_rng(0).integers(0, 3, 300)
    weighted = BayesianNetwork().fit(rows, sample_weight=weights)
    copied = BayesianNetwork().fit(rows.loc[rows.index.repeat(weights)].sample(frac=1))
    assert weighted.edges_ == copied.edges_
    np.testing.assert_array_equal(weighted.score_samples(rows), copied.score_samples(rows))


def test_a_saved_model_answers_the_same(model, tmp_path):
    model.save(tmp_path / "asia.bl")
    loaded = branchline.load(tmp_path / "asia.bl")
    assert loaded.edges_ == model.edges_
    assert loaded.to_text() == model.to_text()
    assert (
        loaded.query({"dysp": "yes"}, of="lung")["yes"]
        == model.query({"dysp": "yes"}, of="lung")["yes"]
    )


def test_tiny_tables_and_identifiers():
    three = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3], "id": ["p", "q", "r"]})
    model = BayesianNetwork().fit(three)
    assert model.left_out_ == ["id"]
    assert "Left out" in model.to_text()
    assert "3 rows only: arrows may be chance" in model.to_text()
    nothing = BayesianNetwork().fit(pd.DataFrame({"only": ["a", "a"]}))
    assert nothing.names_ == []
    np.testing.assert_array_equal(nothing.score_samples(pd.DataFrame({"only": ["a"]})), [0.0])


def test_stable_edges_are_in_all_bootstrap_networks(model):
    rows = asia()
    stable = model.stability(rows, n_networks=10)
    edge = stable.of("smoke", "bronc")
    assert edge.share.estimate == 1.0
    assert edge.share.low == pytest.approx(0.72, abs=0.01)
    again = model.stability(rows.sample(frac=1, random_state=0), n_networks=10)
    assert again.edges == stable.edges
    assert stable.to_frame().in_network.sum() == len(model.edges_)
    with pytest.raises(ParameterError) as caught:
        model.stability(rows, n_networks=1)
    assert caught.value.code == "P707"


def test_a_network_is_drawn(model):
    svg = model.draw().to_svg()
    assert all(f">{name}<" in svg for name in model.names_ if name != "asia")
    assert "Without arrows: asia." in svg
    assert BayesianNetwork().fit(pd.DataFrame({"a": ["x"] * 5})).draw().to_svg()


@pytest.mark.parametrize("cells", [["a"], ["a"] * 4, ["a", None, "a"], [None, None]])
@pytest.mark.parametrize("criterion", ["bic", "bdeu"])
def test_a_network_without_columns_is_saved(cells, criterion, tmp_path):
    nothing = BayesianNetwork(criterion=criterion).fit(pd.DataFrame({"only": cells}))
    nothing.save(tmp_path / "n")
    assert branchline.load(tmp_path / "n").names_ == []
