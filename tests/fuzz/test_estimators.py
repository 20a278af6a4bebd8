"""A few dozen random cases; ``make fuzz`` tries them for minutes."""

from fuzz.estimators import CAMPAIGN, PROMISES, attempt, case
from fuzz.harness import FAILURES, run, summary

SEED = 0
N_CASES = 48


def test_no_case_crashes_hangs_or_breaks_a_promise():
    results = run(CAMPAIGN, range(N_CASES), seed=SEED, limit_s=60.0, memory=2**32)
    assert len(results) == N_CASES
    failed = [result for result in results if result.outcome in FAILURES]
    assert not failed, summary(CAMPAIGN, results, SEED)


def test_a_number_determines_a_case():
    assert str(case(SEED, 5)) == str(case(SEED, 5))
    assert len({str(case(SEED, number)) for number in range(20)}) > 15
    assert attempt(SEED, 1) in {"usable", "refused"}
    assert len(PROMISES) == 8
