"""What the verbs do, as plain functions that return a document and its text."""

import textwrap
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from branchline.cli._emit import text_width
from branchline.errors import ERROR_CODES, ParameterError, Repair

__all__ = ["datasets", "errors", "learners"]


def datasets(name: str | None, save: str | None) -> tuple[dict[str, Any], str]:
    """List the bundled data sets, or describe one and write it to a file."""
    from branchline.table import dataset_info, load_dataset

    if name is None and save is not None:
        raise ParameterError(
            "--save writes one data set: name it.",
            code="P014",
            repair=Repair(flag=f"branchline datasets german-credit --save {save}"),
        )
    if name is None:
        return _all_datasets()
    info = dataset_info(name)
    lines = [
        f"{info.name}: {info.title}",
        f"{info.n_rows} rows × {info.n_columns} columns, target: {info.target or 'none'}",
        *textwrap.wrap(info.description, text_width()),
        *textwrap.wrap(f"Source: {info.source}", text_width()),
        *textwrap.wrap(f"License: {info.license}", text_width()),
    ]
    if save is not None:
        table = load_dataset(name)
        (table.write_arff if save.endswith(".arff") else table.write_csv)(save)
        lines.append(f"Written to {save}")
    about = {"name": info.name, "rows": info.n_rows, "target": info.target, "saved": save}
    return {"dataset": about}, "\n".join(lines)


def _all_datasets() -> tuple[dict[str, Any], str]:
    from branchline.table import dataset_info, dataset_names

    infos = [dataset_info(each) for each in dataset_names()]
    width = max(len(info.name) for info in infos)
    lines = [
        f"{info.name:<{width}}  {info.n_rows:>5} × {info.n_columns:<3} {info.title}"
        for info in infos
    ]
    return {"datasets": [info.name for info in infos]}, "\n".join(lines)


def learners(name: str | None, task: str | None) -> tuple[dict[str, Any], str]:
    """List the learners of the catalog, or describe one."""
    from branchline import catalog

    if name is None:
        rows = catalog.table(task)
        width = max(len(row["name"]) for row in rows)
        lines = [
            f"{row['name']:<{width}}  {row['family']:<9}  {_targets(row):<19}  {row['title']}"
            for row in rows
        ]
        return {"learners": rows}, "\n".join(lines)
    wanted = catalog.entry(name, task=task)
    [row] = [row for row in catalog.table() if row["name"] == wanted.name]
    return {"learner": row}, "\n".join(_about_learner(row))


def _about_learner(row: Mapping[str, Any]) -> list[str]:
    """Return what the catalog says of one learner, as lines."""
    from branchline.catalog import HANDLES, in_words

    handled = [f"  {word}: {HANDLES[word]}" for word in row["handles"]]
    lines = [
        f"{row['name']}: {row['title']}",
        f"Family: {row['family']}; predicts {_targets(row)}",
        *textwrap.wrap(row["description"], text_width()),
        *(["By itself it handles", *handled] if handled else []),
    ]
    for task, maker in row["classes"].items():
        seconds = ", ".join(
            f"{in_words(taken['seconds'])} for {taken['rows']:,} rows × {taken['columns']} columns"
            for taken in row["seconds"][task]
        )
        lines += [f"For {task}: {maker}", f"  a fit takes about {seconds}, on one core"]
    also = [f"Also called: {', '.join(row['aliases'])}"] if row["aliases"] else []
    return [*lines, *also, *textwrap.wrap(f"Reference: {row['reference']}", text_width())]


def _targets(row: Mapping[str, Any]) -> str:
    words = {"classification": "classes", "regression": "numbers"}
    return " and ".join(words[task] for task in row["tasks"])


def errors(code: str | None) -> tuple[dict[str, Any], str]:
    """List the error codes, or explain one."""
    if code is None:
        text = "\n".join(f"{entry.code}  {entry.title}" for entry in ERROR_CODES.values())
        return {"errors": {key: entry.title for key, entry in ERROR_CODES.items()}}, text
    entry = ERROR_CODES.get(code.upper())
    if entry is None:
        near = get_close_matches(code.upper(), ERROR_CODES, n=1, cutoff=0.5)
        raise ParameterError(
            f"There is no error code {code!r}.",
            code="P012",
            repair=Repair(flag=f"branchline errors {near[0]}" if near else "branchline errors"),
        )
    text = f"{entry.code}: {entry.title}\n\n{textwrap.fill(entry.explanation, text_width())}"
    return {"error": {"code": entry.code, "title": entry.title, "text": entry.explanation}}, text
