"""Make a tree of links in which folders stand under their import names, for type checkers.

``models/`` is imported as ``simcore.models``; mypy follows folders, not import hooks.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(target: str) -> None:
    """Lay out ``target/simcore`` anew."""
    package = Path(target) / "simcore"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for entry in (ROOT / "simcore").iterdir():
        if entry.name != "__pycache__":
            (package / entry.name).symlink_to(entry)
    for folder in ("models", "examples"):
        (package / folder).symlink_to(ROOT / folder)


if __name__ == "__main__":
    main(sys.argv[1])
