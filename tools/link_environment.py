"""Let this environment see the packages of another one, with its editable installs.

Run by the environment that shall see them:
``.venv-site/bin/python tools/link_environment.py .venv``.
"""

import sys
import sysconfig
from pathlib import Path


def main() -> int:
    """Write a .pth file that adds the packages of the environment that is named."""
    given = Path(sys.argv[1]).resolve()
    places = sorted(given.glob("lib/python*/site-packages")) + sorted(
        given.glob("Lib/site-packages")
    )
    if not places:
        print(f"{given} is not an environment: no site-packages in it")
        return 1
    line = f"import site; site.addsitedir({str(places[0])!r})\n"
    Path(sysconfig.get_path("purelib"), "development.pth").write_text(line, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
