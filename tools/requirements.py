"""Print what the local environment needs, from pyproject.toml: dependencies and the dev group.

``--ends lowest`` prints the lowest version of each dependency, of the extras and of what the tests
need; ``--ends newest`` prints only names.

pip cannot read dependency groups in the versions that come with Python 3.11.
"""

import re
import sys
import tomllib
from pathlib import Path


def group(name: str, groups: dict[str, list[str | dict[str, str]]]) -> list[str]:
    """Return the requirements of a group, included groups first."""
    found: list[str] = []
    for entry in groups[name]:
        found += [entry] if isinstance(entry, str) else group(entry["include-group"], groups)
    return found


def ends(wanted: list[str], which: str) -> list[str]:
    """Return requirements of the lowest allowed versions, or of the newest ones."""
    found = [re.match(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", one) for one in wanted]
    parts = [match.groups() for match in found if match is not None]
    if len(parts) != len(wanted) or which not in {"lowest", "newest"}:
        raise SystemExit("--ends lowest or --ends newest; each dependency needs a lower bound")
    return [name if which == "newest" else f"{name}=={version}" for name, version in parts]


def extras(wanted: dict[str, list[str]]) -> list[str]:
    """Return the requirements of all extras, without those that name other extras."""
    return [one for each in wanted.values() for one in each if not one.startswith("branchline[")]


def main() -> None:
    """Print one requirement per line."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)
    wanted = project["project"]["dependencies"] + group("dev", project["dependency-groups"])
    if "--ends" in sys.argv:
        wanted = project["project"]["dependencies"]
        wanted = wanted + extras(project["project"]["optional-dependencies"])
        wanted = ends(wanted + group("test", project["dependency-groups"]), sys.argv[-1])
    print("\n".join(dict.fromkeys(wanted)))


if __name__ == "__main__":
    main()
