"""How results leave: people's text or one JSON document on stdout, and exit codes."""

import json
from typing import Any

from branchline import __version__

__all__ = [
    "EXIT_DATA",
    "EXIT_FIT",
    "EXIT_INTERRUPTED",
    "EXIT_REQUIREMENT",
    "EXIT_TEST_OPENED",
    "emit",
    "exit_code_of",
    "print_document",
]

EXIT_DATA, EXIT_FIT, EXIT_REQUIREMENT, EXIT_TEST_OPENED, EXIT_INTERRUPTED = 3, 4, 5, 6, 130

# Errors that come up while a model is fitted, not because of the data or a file.
_FIT_CODES = {"D132"}
_TEST_CODES = {"D134"}


def exit_code_of(code: str) -> int:
    """Return the exit code for an error's code."""
    if code in _TEST_CODES:
        return EXIT_TEST_OPENED
    return EXIT_FIT if code in _FIT_CODES else EXIT_DATA


def emit(as_json: bool, document: dict[str, Any], text: str) -> None:
    """Print a result: the document for programs, else the text for people."""
    if as_json:
        print_document(document)
    else:
        print(text)


def print_document(document: dict[str, Any]) -> None:
    """Print one JSON document with the version of its schema."""
    print(json.dumps({"schema": 1, "branchline": __version__, **document}, ensure_ascii=False))
