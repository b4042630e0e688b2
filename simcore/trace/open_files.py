"""Files that are being written: flushed when the interpreter ends, given up in forked children."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from typing import Protocol

__all__ = ["keep_track", "lose_track"]


class OpenFile(Protocol):
    """What can be kept track of."""

    def flush(self) -> None:
        """Write out what is in memory."""

    def _forget(self) -> None:
        """Give up what is in memory: it is the parent process's to write."""


_open_files: weakref.WeakSet[OpenFile] = weakref.WeakSet()


def keep_track(file: OpenFile) -> None:
    """Have a file flushed at exit, as long as it exists, and forgotten in forked children."""
    _open_files.add(file)


def lose_track(file: OpenFile) -> None:
    """Undo `keep_track`; no error when the file is not known."""
    _open_files.discard(file)


def _flush_all() -> None:
    failed: Exception | None = None
    for file in list(_open_files):
        try:
            file.flush()
        except OSError as error:
            # Whoever could handle it is gone: a line says as much as a traceback.
            print(f"simcore: a trace is not complete: {error}", file=sys.stderr)
        except Exception as error:
            failed = failed or error
    if failed is not None:
        raise failed


def _forget_all() -> None:
    for file in list(_open_files):
        file._forget()


atexit.register(_flush_all)
os.register_at_fork(after_in_child=_forget_all)
