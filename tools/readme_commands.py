"""Run the commands that a document shows: each line ``$ COMMAND`` in its ``console`` blocks.

Every command must exit with 0. All run in one scratch folder, one after the other, with the
environment's programs first in PATH; ``make`` commands run in the project's folder. A Python block
whose first line names its file (``# first_try.py``) is written into the scratch folder beforehand.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 600.0


def blocks(text: str, language: str) -> list[str]:
    """Return the contents of the fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Return the commands, continuation lines joined."""
    found = []
    for block in blocks(text, "console"):
        lines = iter(block.splitlines())
        for line in lines:
            if line.startswith("$ "):
                command = line[2:]
                while command.endswith("\\"):
                    command = command[:-1] + next(lines, "").removeprefix("> ").strip()
                found.append(command)
    return found


def main(document: str) -> int:
    """Run all commands of a document; return the number of those that failed."""
    text = Path(document).read_text(encoding="utf-8")
    environment = dict(os.environ)
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    failures = 0
    shown = commands(text)
    if not shown:
        print(f"{document} shows no commands")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        for block in blocks(text, "python"):
            name = re.match(r"# ([\w.-]+\.py)\n", block)
            if name:
                Path(scratch, name[1]).write_text(block, encoding="utf-8")
        for command in shown:
            folder = ROOT if command.startswith("make ") else scratch
            started = time.monotonic()
            try:
                done = subprocess.run(
                    command,
                    shell=True,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=LIMIT_S,
                )
                code, output = str(done.returncode), done.stdout + done.stderr
            except subprocess.TimeoutExpired:
                code, output = f"no end after {LIMIT_S:.0f} s", ""
            print(f"$ {command}: {code}, {time.monotonic() - started:.1f} s", flush=True)
            if code != "0":
                failures += 1
                print(output)
    return failures


if __name__ == "__main__":
    raise SystemExit(min(1, sum(main(document) for document in sys.argv[1:])))
