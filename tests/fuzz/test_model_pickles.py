"""A few hundred damaged pickles of models."""

import pytest

from fuzz.harness import FAILURES, run, summary
from fuzz.model_pickles import CAMPAIGN

SEED = 0
N_MUTANTS = 180


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
    assert outcomes.count("refused") > len(outcomes) / 3
    assert outcomes.count("usable") > len(outcomes) / 10
