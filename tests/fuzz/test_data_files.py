"""A few hundred damaged data files; ``make fuzz`` tries thousands."""

import pytest

import branchline
from fuzz.data_files import CAMPAIGN, corpus, mutant
from fuzz.data_mutants import FILES
from fuzz.harness import FAILURES, run, summary

SEED = 0
N_MUTANTS = 300


@pytest.fixture(scope="module")
def results():
    return run(CAMPAIGN, range(N_MUTANTS), seed=SEED)


def test_no_mutant_crashes_hangs_or_gives_an_untyped_error(results):
    assert len(results) == N_MUTANTS
    failed = [result for result in results if result.outcome in FAILURES]
    assert not failed, summary(CAMPAIGN, results, SEED)


@pytest.mark.parametrize("kind", CAMPAIGN.kinds)
def test_of_every_format_some_mutants_are_refused_and_some_are_read(results, kind):
    outcomes = {result.outcome for result in results if result.kind == kind}
    assert outcomes == {"usable", "refused"}


@pytest.fixture
def _own_budget(monkeypatch):
    monkeypatch.setenv("BRANCHLINE_MEMORY", "0")  # which the corpus sets; undone afterwards
    corpus.cache_clear()


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.usefixtures("_own_budget")
def test_the_files_that_are_damaged_are_sound(tmp_path):
    for kind in FILES:
        for files in corpus()[kind]:
            for name, content in files.items():
                (tmp_path / name).write_bytes(content)
            assert branchline.read_table(tmp_path / next(iter(files))).n_columns > 0


@pytest.mark.usefixtures("_own_budget")
def test_a_number_determines_its_mutant():
    assert mutant(5, 3) == mutant(5, 3)
    assert mutant(5, 3) != mutant(6, 3)
