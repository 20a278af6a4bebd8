"""docs/coverage.md from the results of ``coverage_grid``."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["write_page"]

Line = dict[str, Any]
LOWEST, HIGHEST = 0.92, 0.98
_BEGIN, _END = "<!-- grid -->", "<!-- end of grid -->"


def write_page(lines: list[Line], path: Path) -> None:
    """Put the tables of the grid between the two marks of the page; all other text stays."""
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(_BEGIN)
    after = rest.split(_END)[1]
    tables = "\n\n".join([_summary(lines), _by(lines), _cells(lines)])
    path.write_text(f"{before}{_BEGIN}\n\n{tables}\n\n{_END}{after}", encoding="utf-8")


def _summary(lines: list[Line]) -> str:
    named = {tuple(line[key] for key in ("learner", "problem", "rows", "way")) for line in lines}
    held = np.array([line["held"] for line in lines])
    inside = int(((held >= LOWEST) & (held <= HIGHEST)).sum())
    return (
        f"{len(named)} cells, {len(lines)} scores, {min(line['draws'] for line in lines)} to "
        f"{max(line['draws'] for line in lines)} tables each. Held on average: "
        f"{100 * held.mean():.1f} %. Of all scores, {inside} ({100 * inside / len(lines):.0f} %) "
        f"lie within 92 to 98 %, {int((held > HIGHEST).sum())} above (too wide), "
        f"{int((held < LOWEST).sum())} below (too narrow). Each share has its own standard error, "
        "about 1.5 % where it is 95 %, so about one score in twenty falls outside by chance."
    )


def _by(lines: list[Line]) -> str:
    rows = ["| | scores | held | within 92–98 % | above | below |", "|---|--:|--:|--:|--:|--:|"]
    for key in ("way", "learner", "problem", "rows", "metric"):
        groups: dict[Any, list[float]] = defaultdict(list)
        for line in lines:
            groups[line[key]].append(line["held"])
        rows += [_group(key, name, groups[name]) for name in sorted(groups, key=str)]
    return "\n".join(rows)


def _group(key: str, name: Any, held: list[float]) -> str:
    shares, words = np.array(held), str(name).replace("_", " ")
    words = f"{name:,} rows" if key == "rows" else words
    inside = int(((shares >= LOWEST) & (shares <= HIGHEST)).sum())
    above, below = int((shares > HIGHEST).sum()), int((shares < LOWEST).sum())
    mean = f"{100 * shares.mean():.1f} %"
    return f"| {words} | {len(shares)} | {mean} | {inside} | {above} | {below} |"


def _cells(lines: list[Line]) -> str:
    rows = [
        "| learner | problem | rows | way | metric | truth | held | half width | spread |",
        "|---|---|--:|---|---|--:|--:|--:|--:|",
    ]
    rows += [
        "| "
        + " | ".join(
            [
                str(line["learner"]).replace("_", " "),
                str(line["problem"]).replace("_", " "),
                f"{line['rows']:,}",
                str(line["way"]).replace("_", " ").replace(" x ", " × "),
                str(line["metric"]),
                f"{line['truth']:.3f}",
                f"{100 * line['held']:.1f} ± {100 * line['error']:.1f} %",
                f"{line['half_width']:.3f}",
                f"{line['spread']:.3f}",
            ]
        )
        + " |"
        for line in sorted(lines, key=_place)
    ]
    return "\n".join(rows)


def _place(line: Line) -> tuple[Any, ...]:
    return tuple(line[key] for key in ("learner", "problem", "rows", "way", "metric"))
