"""The one folder that the studio reads and writes: documents and files, addressed by ids.

1. Ids are made here: 16 hexadecimal digits. No name that comes from a browser becomes part of a
   path.
2. One function, ``Workspace.place``, maps a kind, an id and an ending to a path. A file that is
   already there must be an ordinary file with one name: links are refused.
3. Documents are JSON with a revision. Who changes one says which revision was read; a change by
   another tab in between is refused (P961).
"""

import json
import os
import re
import secrets
import stat
import threading
from pathlib import Path
from typing import Any

from branchline._atomic_file import replacing
from branchline.errors import BranchlineError, DataError, ParameterError, Repair
from branchline.studio._limits import DOCUMENTS

__all__ = ["KINDS", "Workspace"]

KINDS = ("tables", "trees", "runs", "models", "files")
_ID = re.compile(r"[0-9a-f]{16}")
_ENDING = re.compile(r"(\.[a-z0-9]{1,12}){1,2}")


class Workspace:
    """A folder with a folder for each kind of document.

    Parameters
    ----------
    folder
        The folder; it is made if it is not there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).resolve()
        self._lock = threading.Lock()
        try:
            for kind in KINDS:
                (self.folder / kind).mkdir(parents=True, exist_ok=True)
            with (self.folder / ".gitignore").open("w", encoding="utf-8") as file:
                file.write("*\n")
        except OSError as error:
            raise DataError(
                f"The workspace {str(folder)!r} cannot be used: {error.strerror or error}.",
                code="F963",
                repair=Repair(flag="--workspace FOLDER"),
            ) from error

    def place(self, kind: str, name: str, ending: str) -> Path:
        """Return the path of a file; refuse what is not an id, and links in its place."""
        if kind not in KINDS or not _ID.fullmatch(name) or not _ENDING.fullmatch(ending):
            raise unknown_id()
        path = self.folder / kind / f"{name}{ending}"
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return path
        is_ours = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
        if not is_ours or path.parent.resolve() != self.folder / kind:
            raise DataError("This file of the workspace is a link or not a file.", code="F962")
        return path

    def existing(self, kind: str, name: str, ending: str) -> Path:
        """Return the path of a file that is there."""
        path = self.place(kind, name, ending)
        if not path.exists():
            raise unknown_id()
        return path

    def open(self, kind: str, name: str, ending: str) -> Any:
        """Open a file for reading without following a link."""
        path = self.existing(kind, name, ending)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        return os.fdopen(os.open(path, flags), "rb")

    # -- documents ------------------------------------------------------------------------------

    def names(self, kind: str) -> list[str]:
        """Return the ids of a kind, the newest first."""
        files = [p for p in (self.folder / kind).glob("*.json") if _ID.fullmatch(p.stem)]
        files.sort(key=lambda path: (-path.lstat().st_mtime_ns, path.stem))
        return [path.stem for path in files]

    def all(self, kind: str) -> list[dict[str, Any]]:
        """Return the documents of a kind that can be read, the newest first."""
        found = []
        for name in self.names(kind):
            try:
                found.append(self.read(kind, name))
            except BranchlineError:  # another tab removed it, or it was damaged
                continue
        return found

    def read(self, kind: str, name: str) -> dict[str, Any]:
        """Return a document."""
        try:
            with self.open(kind, name, ".json") as file:
                document = json.load(file)
        except (OSError, ValueError):
            raise unknown_id() from None
        if not isinstance(document, dict) or document.get("id") != name:
            raise unknown_id()
        return document

    def add(self, kind: str, document: dict[str, Any]) -> dict[str, Any]:
        """Write a new document and return it with its id."""
        if len(self.names(kind)) >= DOCUMENTS:
            raise ParameterError(
                f"The workspace holds {DOCUMENTS} {kind}, which is the limit.",
                code="P963",
                repair=Repair(flag="--workspace FOLDER, a new one"),
            )
        made = {**document, "id": document.get("id") or self.new_id(), "revision": 1}
        self._write(kind, made)
        return made

    def change(
        self, kind: str, name: str, revision: int | None, changes: dict[str, Any]
    ) -> dict[str, Any]:
        """Change a document; refuse when it is not at the ``revision`` that was read."""
        with self._lock:
            document = self.read(kind, name)
            if revision is not None and document["revision"] != revision:
                raise ParameterError("This was changed in another tab meanwhile.", code="P961")
            document |= {**changes, "revision": document["revision"] + 1}
            self._write(kind, document)
            return document

    def remove(self, kind: str, name: str) -> None:
        """Remove a document with its files."""
        self.existing(kind, name, ".json")
        for path in (self.folder / kind).glob(f"{name}.*"):
            path.unlink(missing_ok=True)

    @staticmethod
    def new_id() -> str:
        """Return a new id."""
        return secrets.token_hex(8)

    def _write(self, kind: str, document: dict[str, Any]) -> None:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        with replacing(self.place(kind, document["id"], ".json")) as file:
            file.write(text.encode())


def unknown_id() -> ParameterError:
    """Return the error of an id that does not exist."""
    return ParameterError("There is nothing with this id.", code="P962")
