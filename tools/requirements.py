"""Print what the local environment needs, from pyproject.toml: dependencies and the dev group.

pip cannot read dependency groups in the versions that come with Python 3.11.
"""

import tomllib
from pathlib import Path


def group(name: str, groups: dict[str, list[str | dict[str, str]]]) -> list[str]:
    """Return the requirements of a group, included groups first."""
    found: list[str] = []
    for entry in groups[name]:
        found += [entry] if isinstance(entry, str) else group(entry["include-group"], groups)
    return found


def main() -> None:
    """Print one requirement a line."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)
    wanted = project["project"]["dependencies"] + group("dev", project["dependency-groups"])
    print("\n".join(dict.fromkeys(wanted)))


if __name__ == "__main__":
    main()
