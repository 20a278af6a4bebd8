"""The harness of the fuzz tests sees crashes, hangs and exceptions, and says how to repeat them."""

import pytest

from fuzz.harness import main, run, summary
from fuzz.self_check import CAMPAIGN

EXPECTED = ("usable", "crash", "crash", "crash", "hang", "untyped", "untyped", "refused")


@pytest.fixture(scope="module")
def results():
    return run(CAMPAIGN, range(2 * len(EXPECTED)), seed=7, limit_s=0.15, memory=2**30)


def test_every_way_to_end_is_told_apart(results):
    assert [result.number for result in results] == list(range(2 * len(EXPECTED)))
    assert [result.outcome for result in results] == list(EXPECTED * 2)


def test_a_failure_keeps_what_is_known_of_it(results):
    details = {result.kind: result.detail for result in results}
    assert "exit status -6" in details["abort"]
    assert "exit status -11" in details["segfault"]
    assert "exit status 0" in details["leave"]
    assert "KeyError: '7:" in details["raise"]
    assert "MemoryError" in details["allocate"]


def test_the_summary_counts_by_kind_and_names_the_command_that_repeats(results):
    text = summary(CAMPAIGN, results, seed=7)
    lines = [line.split() for line in text.splitlines()]
    assert ["abort", "2", "0", "0", "2", "0", "0"] in lines
    assert ["all", "16", "2", "2", "6", "2", "4"] in lines
    assert "python -m fuzz.self_check --seed 7 --only 4" in text


def test_one_mutant_can_be_repeated_in_this_process(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    main(CAMPAIGN, ["--only", "7"])
    assert capsys.readouterr().out == "refused refused\n"
    with pytest.raises(KeyError):
        main(CAMPAIGN, ["--only", "5"])
