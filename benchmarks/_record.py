"""The record: one JSON line for each measurement, complete enough to be read years later."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._harness import Bench
from benchmarks._peers import versions
from benchmarks._results import Measurement

__all__ = ["RESULTS", "append", "environment", "lines", "load_of_others", "read_all"]

RESULTS = Path(__file__).resolve().parent / "results"


def environment() -> dict[str, Any]:
    """Return what is the same for all lines of one run: commit, date, machine, versions."""
    return {
        "commit": _git("rev-parse", "HEAD") or "unknown",
        "uncommitted_changes": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cores": _cores(),
        "load": load_of_others(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions(),
    }


def lines(bench: Bench, constant: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one record for each measurement of a bench that has run."""
    found = bench.comparison
    shared = {
        "workload": found.workload.name,
        "threads": bench.threads,
        "quick": bench.quick,
        "settings": found.settings,
        "reference": found.reference,
        "bar": found.workload.bar,
        "against": found.workload.against,
        "limit": found.workload.limit,
        "why": found.workload.why,
        "family": found.workload.family,
        "by_default": found.workload.by_default,
        "verdicts": [asdict(verdict) for verdict in found.verdicts],
    }
    measured = found.measurements
    if found.skipped:
        measured = [Measurement("(workload)", "skipped", found.skipped)]
    for one in measured:
        yield {**shared, **asdict(one), "best": one.best, "median": one.median, **constant}


def append(records: Iterable[dict[str, Any]], path: Path) -> None:
    """Append records to a file of JSON lines, making its folder when needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read_all(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Read the records of several files, oldest run first."""
    records = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        records += [json.loads(line) for line in text.splitlines() if line.strip()]
    return sorted(records, key=lambda record: record["date"])


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=RESULTS.parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def load_of_others() -> float | None:
    """Return how many processes ran on average in the last minute, None where unknown."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
