"""The command line: ``branchline VERB``. Nothing heavy is imported before a verb needs it."""

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    from branchline.cli._app import run

    run()
