"""A few hundred damaged and forged model files; ``make fuzz`` tries tens of thousands."""

import json
import random

import pytest

from branchline._saving._classes import CLASSES
from common.estimators import TRANSITIONS
from fuzz.harness import FAILURES, run, summary
from fuzz.model_files import CAMPAIGN, corpus, mutant
from fuzz.mutate_arrays import fitted_values, forge, forge_fitted, mutate_arrays, take_apart
from fuzz.mutate_parts import mutate_parts
from fuzz.mutate_trees import mutate_trees

SEED = 0
N_MUTANTS = 280


@pytest.fixture(scope="module")
def results():
    return run(CAMPAIGN, range(N_MUTANTS), seed=SEED)


def test_no_mutant_crashes_hangs_or_gives_an_untyped_error(results):
    assert len(results) == N_MUTANTS
    failed = [result for result in results if result.outcome in FAILURES]
    assert not failed, summary(CAMPAIGN, results, SEED)


@pytest.mark.parametrize("kind", CAMPAIGN.kinds)
def test_mutants_of_every_kind_are_refused_and_some_can_be_used(results, kind):
    outcomes = [result.outcome for result in results if result.kind == kind]
    assert len(outcomes) == N_MUTANTS // len(CAMPAIGN.kinds)
    # Trees of other shapes are mostly sound, and then they must be usable. Of damaged bytes and
    # fields, one in a hundred changes nothing that matters: too few to count on among so many.
    assert outcomes.count("refused") > len(outcomes) / (4 if kind == "trees" else 2)
    least = {"bytes": -1, "manifest": -1, "trees": len(outcomes) / 4}
    assert outcomes.count("usable") > least.get(kind, 0)


def test_a_number_determines_its_mutant():
    assert [mutant(5, number) for number in range(20)] == [mutant(5, n) for n in range(20)]
    assert len({mutant(5, number) for number in range(20)}) == 20
    assert mutant(5, 3) != mutant(6, 3)


def test_the_corpus_holds_trees_of_every_make():
    """Paths, costs, multiway, shared and own branches, thresholds, several outputs, one leaf."""
    found = [fitted_values(content) for content in corpus()]
    of_trees = [values for values in found if "missing_branch" in values]
    kinds = {kind for values in of_trees for kind in values["kind"].tolist()}
    branches = {branch for values in of_trees for branch in values["missing_branch"].tolist()}
    assert kinds == {0, 1, 2}
    assert {-2, -1, 0, 1, 2} <= branches
    assert max(max(values["n_branches"], default=0) for values in of_trees) > 3
    assert min(len(values["kind"]) for values in of_trees) == 1
    assert max(len(values["kind"]) for values in of_trees) > 100
    assert {values.get("n_outputs", 0) for values in of_trees} == {0, 1, 3}
    assert any(values["unit"] < 1 for values in of_trees)
    for name in ("costs", "path_beta", "path_error", "leaf_spread"):
        assert any(name in values for values in of_trees)
    given = {
        name
        for content in corpus()
        if "leaf_content" in fitted_values(content)
        for name, value in take_apart(content)[0]["parameters"].items()
        if isinstance(value, list | dict)
    }
    assert given == {"costs", "class_weight", "test_costs", "subsets", "intervals"}


def test_the_corpus_holds_models_whose_parts_have_parts():
    """Blocks of encodings, members of ensembles and of ensembles in them, trees among them."""
    found = [fitted_values(content) for content in corpus()]
    members = [one for values in found for one in values.get("members", ()) if one]
    inside = [one for member in members for one in member["fitted"].get("members", ())]
    assert any("leaf_content" in member["fitted"] for member in members)
    assert any("leaf_content" in member["fitted"] for member in inside)
    encodings = [values["encoding"] for values in found if values.get("encoding")]
    blocks = [block for encoding in encodings for block in encoding.get("blocks", ())]
    assert {block["kind"] for block in blocks} == {"number", "category", "date"}
    assert any(encoding.get("sparse_columns") for encoding in encodings)
    kinds = {encoding["basis"]["kind"] for encoding in encodings if encoding.get("basis")}
    assert kinds == {"polynomial", "rbf"}


def test_values_at_any_depth_are_changed_and_everything_else_stays():
    """All arrays of an ensemble are those of its members, and they are found there."""
    content = next(c for c in corpus() if take_apart(c)[0]["class"] == "BaggingClassifier")
    plain = json.dumps(take_apart(content)[0])
    for mutate in (mutate_arrays, mutate_parts, mutate_trees):
        made = mutate(random.Random(0), [content])
        assert made != content
        assert json.loads(plain)["class"] == take_apart(made)[0]["class"]
    assert forge_fitted(take_apart(content)[0], fitted_values(content)) == forge(
        *take_apart(content)
    )


def test_the_corpus_holds_every_estimator_and_forging_without_a_change_gives_the_file_back():
    names = set()
    for content in corpus():
        manifest, arrays = take_apart(content)
        names.add(manifest["class"])
        assert json.loads(json.dumps(manifest)) == manifest
        assert take_apart(forge(manifest, arrays))[0] == manifest
    assert names == set(CLASSES) - TRANSITIONS
