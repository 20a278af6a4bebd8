"""Ways to read the results: tables and a summary for the terminal, Markdown for the docs."""

from collections.abc import Iterable, Sequence
from statistics import geometric_mean
from typing import Any

from benchmarks._peers import version_of_competitor
from benchmarks._results import Comparison, Measurement, Verdict, Workload, ratio_of_bar

__all__ = ["catalogue", "markdown", "summary", "terminal"]

_SIGNS = {"bar": "≥", "limit": "<", "score": "≤"}
_SEEN = {"bar": "ratio {:.2f}", "limit": "{:.3g} s", "score": "{:.4f} below the best peer"}
_HEADINGS = ("competitor", "version", "best s", "median s", "ratio", "score", "peak MiB")


def catalogue(workloads: Iterable[Workload]) -> str:
    """Return one line for each workload: its name, what is wanted and why, what it does."""
    rows = [(one.name, wanted(one), one.why, one.summary) for one in workloads]
    return "\n".join(align(rows, right_from=4))


def wanted(one: Workload) -> str:
    """Return what is wanted of a workload in a few words."""
    words = []
    if one.bar is not None:
        words.append(f"≥ {one.bar:g} × {one.against or 'fastest peer'}")
    if one.limit is not None:
        words.append(f"< {one.limit:g} s")
    return ", ".join(words) or "no bar"


def terminal(found: Comparison) -> str:
    """Return the table of one comparison, with its verdicts below it."""
    title = f"{found.workload.name}: {found.workload.summary}"
    if found.skipped:
        return f"{title}\n  skipped: {found.skipped}"
    measured = [one for one in found.measurements if one.status == "measured"]
    table = align([_HEADINGS, *map(_cells, measured)], right_from=2) if measured else []
    others = [
        f"{one.competitor}: {one.status} ({one.message})"
        for one in found.measurements
        if one.status != "measured"
    ]
    judged = [_sentence(verdict) for verdict in found.verdicts]
    return "\n".join([title, *(f"  {line}" for line in [*table, *others, *judged])])


def _cells(one: Measurement) -> tuple[str, ...]:
    return (
        one.competitor,
        version_of_competitor(one.competitor) or "",
        _number(one.best, ".3g"),
        _number(one.median, ".3g"),
        _number(one.ratio, ".2f"),
        _number(one.score, ".4f"),
        _number(one.peak_mib, ".0f"),
    )


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _sentence(verdict: Verdict) -> str:
    outcome = {True: "met", False: "MISSED", None: "not settled"}[verdict.met]
    seen = "not measured" if verdict.seen is None else _SEEN[verdict.kind].format(verdict.seen)
    error = "" if verdict.error is None else f" ± {verdict.error:.4f}"
    wish = f"{_SIGNS[verdict.kind]} {verdict.wanted:g}"
    return f"→ {verdict.kind} {outcome}: {seen}{error} (wanted {wish})"


def summary(found: Sequence[Comparison]) -> str:
    """Return one screen of a run: a line for each family, then what was missed.

    The ratio of a workload is the one to the peer of its bar, or to the fastest peer. Families
    have the geometric mean of these: 2 and 0.5 make 1.
    """
    parts = [_table_of_families(found, by_default=by_default) for by_default in (False, True)]
    missed = [
        f"  {one.workload.name}: {_sentence(verdict)[2:]}"
        for one in found
        for verdict in one.verdicts
        if verdict.met is False
    ]
    parts.append(["Missed:", *missed] if missed else [])
    return "\n\n".join("\n".join(part) for part in parts if part)


def _table_of_families(found: Sequence[Comparison], *, by_default: bool) -> list[str]:
    """Return the ratios of all families, at equal settings or at the defaults of each library."""
    rated = [
        (one.workload, ratio)
        for one in found
        if one.workload.by_default == by_default and (ratio := _ratio_to_peer(one)) is not None
    ]
    if not rated:
        return []
    rows = [("family", "worst workload", "workloads", "geometric mean", "worst")]
    for family in sorted({workload.family for workload, _ in rated}):
        own = [(ratio, workload.name) for workload, ratio in rated if workload.family == family]
        worst, name = min(own)
        mean = geometric_mean([ratio for ratio, _ in own])
        rows.append((family, name, f"{len(own)}", f"{mean:.2f}", f"{worst:.2f}"))
    ratios = [ratio for _, ratio in rated]
    worst_of_all, at = min((ratio, workload.name) for workload, ratio in rated)
    total = (f"{len(ratios)}", f"{geometric_mean(ratios):.2f}", f"{worst_of_all:.2f}")
    rows.append(("all", at, *total))
    title = "by default" if by_default else "at equal settings"
    heading = f"How many times as fast as the peers, {title} (below 1: slower):"
    return [heading, *(f"  {line}" for line in align(rows, right_from=2))]


def _ratio_to_peer(found: Comparison) -> float | None:
    """Return the ratio that counts; None where ours is compared with ours."""
    against = found.workload.against
    if against is not None and (against.startswith("branchline") or "fits-of" in against):
        return None
    if against is not None:
        return ratio_of_bar(found)
    peers = [
        one.ratio
        for one in found.measurements
        if one.ratio is not None and not one.competitor.startswith("branchline")
    ]
    return min(peers, default=None)


def align(rows: Sequence[Sequence[str]], right_from: int) -> list[str]:
    """Return lines with columns padded to equal width; from ``right_from`` on, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i >= right_from else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def markdown(records: Sequence[dict[str, Any]]) -> str:
    """Return a Markdown table of the latest full run of every workload, and where it ran."""
    latest = _latest_runs([one for one in records if not one["quick"]])
    head = ["| workload | competitor | best s | ratio | score | peak MiB | wanted |"]
    head.append("|---|---|--:|--:|--:|--:|---|")
    notes: dict[str, dict[str, None]] = {}
    for one in latest:
        notes.setdefault(_where(one), {})[_when(one)] = None
    lines = [f"- {where}: {'; '.join(runs)}" for where, runs in notes.items()]
    return "\n".join([*head, *map(_markdown_row, latest), "", *lines, ""])


def _latest_runs(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep, of each workload, the lines of its last run, so that a ratio never spans two runs."""
    last = {one["workload"]: one["date"] for one in records if one["status"] == "measured"}
    kept = [one for one in records if last.get(one["workload"]) == one["date"]]
    return sorted(kept, key=lambda one: one["workload"])


def _markdown_row(one: dict[str, Any]) -> str:
    forms = {"best": ".3g", "ratio": ".2f", "score": ".4f", "peak_mib": ".0f"}
    numbers = [_number(one[key], form) for key, form in forms.items()]
    if one["status"] != "measured":
        numbers[0] = one["status"]
    ours = one["competitor"] == one["reference"]
    words = [_markdown_verdict(verdict) for verdict in one["verdicts"]] if ours else []
    return (
        f"| {one['workload']} | {one['competitor']} | {' | '.join(numbers)} | {', '.join(words)} |"
    )


def _markdown_verdict(verdict: dict[str, Any]) -> str:
    outcome = {True: "met", False: "missed", None: "not settled"}[verdict["met"]]
    error = (
        "" if verdict.get("error") is None else f" ({verdict['seen']:.4f} ± {verdict['error']:.4f})"
    )
    return f"{verdict['kind']} {_SIGNS[verdict['kind']]} {verdict['wanted']:g}: {outcome}{error}"


def _when(one: dict[str, Any]) -> str:
    changed = " with uncommitted changes" if one["uncommitted_changes"] else ""
    return f"{one['date'][:10]}, commit {one['commit'][:10]}{changed}"


def _where(one: dict[str, Any]) -> str:
    packages = ", ".join(
        f"{name} {version}" for name, version in one["versions"].items() if version
    )
    return (
        f"{one['cpu']}, {one['cores']} cores, {one['threads']} threads, "
        f"Python {one['python']}, {packages}"
    )
