"""A few hundred damaged and forged model files; ``make fuzz`` tries tens of thousands."""

import json

import pytest

from branchline._saving._classes import CLASSES
from fuzz.harness import FAILURES, run, summary
from fuzz.model_files import CAMPAIGN, corpus, mutant
from fuzz.mutate_arrays import forge, take_apart

SEED = 0
N_MUTANTS = 600


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
    assert outcomes.count("refused") > len(outcomes) / 2
    assert outcomes.count("usable") > 0


def test_a_number_determines_its_mutant():
    assert [mutant(5, number) for number in range(20)] == [mutant(5, n) for n in range(20)]
    assert len({mutant(5, number) for number in range(20)}) == 20
    assert mutant(5, 3) != mutant(6, 3)


def test_the_corpus_holds_every_estimator_and_forging_without_a_change_gives_the_file_back():
    names = set()
    for content in corpus():
        manifest, arrays = take_apart(content)
        names.add(manifest["class"])
        assert json.loads(json.dumps(manifest)) == manifest
        assert take_apart(forge(manifest, arrays))[0] == manifest
    assert names == set(CLASSES)
