"""The command line: ``branchline VERB``. Nothing heavy is imported before a verb needs it."""

import time

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    began = time.monotonic()
    from branchline.cli._app import run

    run(began)
