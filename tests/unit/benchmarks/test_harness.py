"""The benchmark harness, without peers: what it registers, computes, judges, records and prints."""

import ast
import inspect
import json
import math
import mmap
import sys
from pathlib import Path
from time import sleep

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks import _data, _harness, _memory, _peers, _record, _report, _timing
from benchmarks.__main__ import main
from benchmarks._results import Comparison, Measurement, Workload, judge, set_ratios

FIELDS = {
    *("workload", "competitor", "status", "message", "settings", "threads", "quick", "reference"),
    *("bar", "against", "limit", "verdicts", "seconds", "calls", "best", "median", "ratio"),
    *(
        "why",
        "family",
        "by_default",
        "more_scores",
        "score",
        "peak_mib",
        "commit",
        "uncommitted_changes",
        "date",
        "cpu",
        "cores",
        "load",
    ),
    *("system", "python", "versions"),
}


@pytest.fixture
def registry(monkeypatch):
    """Give a test an empty registry of its own."""
    empty = {}
    monkeypatch.setattr(_harness, "REGISTRY", empty)
    monkeypatch.setattr(_harness, "load_workloads", lambda: None)
    monkeypatch.setattr("benchmarks.__main__.load_workloads", lambda: None)
    monkeypatch.setattr("benchmarks.__main__.limit_processes", lambda threads: None)
    return empty


def measured(**seconds):
    return [Measurement(name, seconds=list(times)) for name, times in seconds.items()]


def compared(*, bar=None, against=None, limit=None, **seconds):
    found = Comparison(Workload("w", lambda bench: None, bar, against, limit))
    found.measurements, found.reference = measured(**seconds), "branchline"
    set_ratios(found)
    return found


def bench_of(competitors, *, quick=False, **options):
    def body(bench):
        """Compare what the test gives."""
        bench.compare(competitors, **options)

    bench = _harness.Bench(Workload("mine", body), n_repeats=2, quick=quick)
    return bench, _harness.run(bench)


def missing_peer():
    import a_peer_that_nobody_has  # noqa: F401


def test_a_workload_is_registered_once_and_found_by_glob(registry):
    _harness.workload("codes-small", bar=2.0, why="sorting")(lambda bench: None)
    _harness.workload("read-small", short=True)(lambda bench: None)
    assert [one.name for one in _harness.select(["codes-*"])] == ["codes-small"]
    assert len(_harness.select([])) == 2
    assert [one.name for one in _harness.select([], short=True)] == ["read-small"]
    with pytest.raises(ValueError, match="'tree-small' has a bar or a limit without a reason"):
        _harness.workload("tree-small", limit=1.0)
    with pytest.raises(ValueError, match="two workloads are named 'read-small'"):
        _harness.workload("read-small")(lambda bench: None)
    with pytest.raises(ValueError, match="no workload matches 'tree-'"):
        _harness.select(["tree-"])


def test_every_workload_of_the_repository_says_what_it_does():
    _harness.load_workloads()
    assert len(_harness.REGISTRY) >= 11
    assert all(one.summary for one in _harness.REGISTRY.values())
    short = [one for one in _harness.REGISTRY.values() if one.short]
    assert len({one.family for one in short}) >= 15


def test_workloads_call_compare_with_keywords_that_it_has():
    known = set(inspect.signature(_harness.Bench.compare).parameters)
    calls = [
        (path.name, keyword.arg)
        for path in Path(_harness.__file__).with_name("workloads").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "bench.compare"
        for keyword in node.keywords
        if keyword.arg is not None
    ]
    assert len(calls) > 50
    assert [call for call in calls if call[1] not in known] == []


def test_ratio_is_the_peers_best_over_our_best():
    found = compared(branchline=[0.5, 0.2], peer=[0.9, 0.8, 1.0])
    assert [one.ratio for one in found.measurements] == [None, pytest.approx(4.0)]
    assert found.measurements[1].median == 0.9


@pytest.mark.parametrize(
    ("against", "bar", "seen", "met"),
    [("slow", 4.0, 5.0, True), ("slow", 6.0, 5.0, False), (None, 4.0, 2.0, False)],
)
def test_bar_is_judged_against_the_named_peer_or_the_fastest(against, bar, seen, met):
    found = compared(bar=bar, against=against, branchline=[1.0], slow=[5.0], fast=[2.0])
    (verdict,) = judge(found, None)
    assert (verdict.seen, verdict.met) == (seen, met)


def test_limit_and_score_are_judged():
    found = compared(limit=1.0, branchline=[1.5], peer=[3.0])
    found.measurements[0].score, found.measurements[1].score = 0.850, 0.851
    limit, score = judge(found, 0.002)
    assert (limit.kind, limit.met) == ("limit", False)
    assert (score.kind, score.met, score.seen) == ("score", True, pytest.approx(0.001))
    assert judge(found, 0.0005)[1].met is False
    assert judge(found, 0.002, judged=False)[0].met is None
    assert judge(found, 0.002, one_of_many=True)[1].met is True
    assert judge(found, 0.0005, one_of_many=True)[1].met is None  # one draw may be chance


@pytest.mark.parametrize(
    ("theirs", "met"),
    [([0.91, 0.92, 0.90], True), ([0.95, 0.95, 0.95], False), ([0.90, 0.97, 0.90], None)],
)
def test_scores_are_judged_by_the_mean_over_draws_and_its_error(theirs, met):
    found = compared(branchline=[1.0], peer=[1.0])
    ours, peer = found.measurements
    ours.score, ours.more_scores = 0.90, [0.91, 0.90, math.nan]  # a draw on which ours failed
    peer.score, peer.more_scores = theirs[0], [*theirs[1:], 0.99]
    (verdict,) = judge(found, 0.01)
    apart = np.subtract(theirs, [0.90, 0.91, 0.90])
    assert verdict.seen == pytest.approx(apart.mean())
    assert verdict.error == pytest.approx(apart.std(ddof=1) / np.sqrt(3))
    assert verdict.met is met


def test_further_draws_are_scored_with_their_own_data():
    def body(bench):
        """Score the seed of the draw."""
        seed = bench.seed
        bench.compare(
            {"branchline": lambda: lambda: seed, "peer": missing_peer}, score=float, redrawn=True
        )

    bench = _harness.Bench(Workload("mine", body), n_repeats=1, n_draws=3)
    ours, peer = _harness.run(bench).measurements
    assert ours.scores == [0.0, 1.0, 2.0]
    assert peer.scores == []
    quick = _harness.Bench(Workload("mine", body), n_repeats=1, quick=True)
    assert _harness.run(quick).measurements[0].scores == [0.0]


def test_the_summary_has_families_their_mean_and_what_was_missed():
    fast = compared(bar=1.0, branchline=[1.0], peer=[8.0])
    slow = compared(bar=1.0, branchline=[1.0], peer=[0.5])
    inner = compared(against="branchline-1-thread", branchline=[1.0], peer=[9.0])
    for one in (fast, slow, inner):
        one.verdicts = judge(one, None)
    head, table_head, family, total, _, missed, line = _report.summary(
        [fast, slow, inner]
    ).splitlines()
    assert "at equal settings" in head
    assert table_head.split()[0] == "family"
    assert family.split()[-3:] == ["2", "2.00", "0.50"]
    assert total.split()[-3:] == ["2", "2.00", "0.50"]
    assert missed == "Missed:"
    assert "bar MISSED: ratio 0.50" in line


def test_a_bar_without_our_time_is_not_judged():
    found = compared(bar=4.0, peer=[3.0])
    (verdict,) = judge(found, None)
    assert (verdict.seen, verdict.met) == (None, None)


def test_a_missing_peer_is_reported_not_raised():
    _, found = bench_of({"branchline": lambda: int, "peer": missing_peer})
    ours, peer = found.measurements
    assert ours.status == "measured"
    assert len(ours.seconds) == 2
    assert peer.status == "not installed"
    assert "peer: not installed (No module named 'a_peer_that_nobody_has')" in _report.terminal(
        found
    )


def test_our_own_missing_module_and_errors_are_failures():
    def absent():
        import branchline.no_such_module  # noqa: F401

    def broken():
        return lambda: 1 / 0

    _, found = bench_of({"branchline": absent, "broken": broken})
    assert [one.status for one in found.measurements] == ["failed", "failed"]
    assert found.measurements[1].message == "ZeroDivisionError: division by zero"


def test_a_skipped_workload_says_why():
    bench = _harness.Bench(Workload("mine", lambda bench: bench.skip(_data.ABSENT)))
    found = _harness.run(bench)
    assert _report.terminal(found).endswith("skipped: data folder absent")
    (line,) = _record.lines(bench, _record.environment())
    assert (line["status"], line["message"]) == ("skipped", "data folder absent")


def test_score_is_taken_of_the_result():
    _, found = bench_of({"branchline": lambda: lambda: 0.75}, score=lambda result: result)
    assert found.measurements[0].score == 0.75


def test_samples_are_taken_in_turns():
    seen = []
    timed = {name: _timing.Timed(lambda name=name: seen.append(name)) for name in "ab"}
    _timing.time_in_turns(timed, n_repeats=3)
    assert seen == ["a", "b", "b", "a", "a", "b"]
    assert _timing.calls_of_sample(0.001) == 20
    assert _timing.calls_of_sample(3.0) == 1


def test_a_short_run_times_long_calls_once_and_at_once(monkeypatch):
    monkeypatch.setattr(_timing, "SHORT_SECONDS", 0.02)
    calls = []

    def slow():
        calls.append(1)
        sleep(0.03)
        return "done"

    timed, result = _timing.warm_up(slow, short=True)
    _timing.time_in_turns({"slow": timed}, n_repeats=2, short=True)
    assert (result, len(timed.seconds), timed.calls, len(calls)) == ("done", 1, 1, 1)
    timed, _ = _timing.warm_up(slow)
    assert timed.seconds == []


def test_peak_memory_sees_a_large_array():
    def fresh():  # np.ones may get memory that this process has freed, and holds
        block = mmap.mmap(-1, 64 * 2**20)
        np.frombuffer(block)[:] = 1.0
        return block

    peak = _memory.peak_mib_of_call(fresh)
    if peak is None:
        pytest.skip("this system cannot reset the peak of memory")
    assert 50 < peak < 100


def test_a_json_line_has_its_fields(tmp_path):
    bench, _ = bench_of({"branchline": lambda: int, "peer": missing_peer}, settings={"trees": 3})
    _record.append(_record.lines(bench, _record.environment()), tmp_path / "deep" / "runs.jsonl")
    lines = (tmp_path / "deep" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    ours, peer = map(json.loads, lines)
    assert set(ours) == set(peer) == FIELDS
    assert ours["settings"] == {"trees": 3}
    assert ours["best"] == min(ours["seconds"])
    assert set(ours["versions"]) >= {"branchline", "numpy", "lightgbm", "libsvm-official"}


def test_command_line_runs_records_and_makes_markdown(registry, tmp_path, capsys):
    @_harness.workload("sums", bar=1e9, why="nobody adds so fast")
    def sums(bench):
        """Add numbers."""
        rows = range(bench.rows(1000))
        bench.compare({"branchline": lambda: int, "python": lambda: lambda: sum(rows)})

    path = tmp_path / "runs.jsonl"
    assert main(["sums", "--n-repeats", "1", "--json", str(path)]) == 0
    assert "→ bar MISSED" in capsys.readouterr().out
    assert main(["sums", "--n-repeats", "1", "--json", str(path), "--strict"]) == 1
    assert main(["sums", "--quick", "--json", str(path), "--strict"]) == 0
    assert len(path.read_text(encoding="utf-8").splitlines()) == 6
    capsys.readouterr()
    assert main(["--markdown", "--json", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("| workload | competitor |")
    assert "bar ≥ 1e+09: missed" in text
    assert main(["--list"]) == 0
    assert "Add numbers." in capsys.readouterr().out


def test_markdown_keeps_the_last_run_of_each_workload():
    record = {"quick": False, "status": "measured", "reference": "branchline", "verdicts": []}
    record |= {"ratio": None, "score": None, "peak_mib": None, "uncommitted_changes": False}
    record |= {"commit": "c" * 40, "cpu": "cpu", "cores": 2, "threads": 2, "python": "3"}
    record |= {"workload": "w", "competitor": "branchline", "versions": {"numpy": "2"}}
    old = {**record, "date": "2026-01-01", "best": 9.0}
    new = {**record, "date": "2026-01-02", "best": 1.0}
    text = _report.markdown([old, new, {**new, "date": "2026-01-03", "quick": True, "best": 5.0}])
    assert "| 1 |" in text
    assert "| 9 |" not in text
    assert "| 5 |" not in text


def test_synthetic_data_are_seeded():
    first, again = (_data.two_classes(500, n_test=100) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert first.X.shape == (500, 28)
    assert first.X.dtype == np.float32
    assert 0.4 < first.y.mean() < 0.6
    columns = _data.mixed_columns(2000)
    assert len(columns) == 20
    assert columns == _data.mixed_columns(2000)
    holes = sum(cell is None for cells in columns.values() for cell in cells)
    assert 0.04 < holes / (20 * 2000) < 0.06


def test_absent_data_folder_gives_none(monkeypatch, tmp_path):
    monkeypatch.setenv("BRANCHLINE_DATA", str(tmp_path / "nowhere"))
    assert _data.data_folder() is None
    assert _data.adult() is None


def test_each_peer_knows_its_parameter_for_threads():
    assert _peers.thread_setting("catboost", 2) == {"thread_count": 2}
    assert _peers.thread_setting("liblinear", 2) == {}
    assert len(_peers.PEERS) == 20
