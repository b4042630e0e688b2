"""The sources keep the house rules: linters, layers, stubs, nothing of one machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import cython_lint
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("simcore", "models", "examples")

# A folder of models may import from its own level or below.
LEVELS = {
    "network": 0,
    "mobility": 1,
    "propagation": 1,
    "wifi": 2,
    "internet": 3,
    "dsr": 4,
    "ndn": 4,
    "apps": 5,
}


def sources(*suffixes: str) -> list[Path]:
    return sorted(
        path
        for folder in PACKAGES
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )


def committed() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError):
        return ""


def run(*command: str, **environment: str) -> None:
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff():
    run(sys.executable, "-m", "ruff", "check", ".")


def test_cython_lint():
    # It calls pycodestyle by name: that lies where cython-lint itself was installed.
    programs = Path(cython_lint.__file__).parents[4] / "bin"
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run(str(programs / "cython-lint"), *PACKAGES, PATH=path)


def test_every_compiled_module_has_a_stub():
    missing = [
        str(path.relative_to(ROOT))
        for path in sources(".pyx")
        if not path.with_suffix(".pyi").exists()
    ]
    assert missing == []


def test_no_relative_cimports():
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in sources(".pyx", ".pxd", ".pxi")
        for line in text_of(path).splitlines()
        if re.match(r"\s*from\s+\.\S*\s+cimport", line)
    ]
    assert found == []


IMPORT = re.compile(r"^\s*(?:from|c?import)\s+(simcore[\w.]*)", re.MULTILINE)


def imports(path: Path) -> set[str]:
    return set(IMPORT.findall(text_of(path)))


def test_arrows_go_one_way():
    """examples -> models -> simcore, and inside models downwards."""
    wrong = []
    for path in sources(".py", ".pyx", ".pxd", ".pxi", ".pyi"):
        place = path.relative_to(ROOT)
        for module in imports(path):
            parts = module.split(".")
            above = {"simcore": ("models", "examples"), "models": ("examples",)}
            target = parts[1] if len(parts) > 1 else ""
            if target in above.get(place.parts[0], ()):
                wrong.append(f"{place} imports {module}")
            elif place.parts[0] == "models" and target == "models" and len(parts) > 2:
                own = LEVELS.get(place.parts[1])
                other = LEVELS.get(parts[2])
                if own is not None and other is not None and other > own:
                    wrong.append(f"{place} imports {module}")
    assert wrong == []


def test_levels_name_every_folder_of_models():
    folders = {path.name for path in (ROOT / "models").iterdir() if (path / "__init__.py").exists()}
    assert folders <= set(LEVELS)


# Spelled in pieces, so that this file does not contain what it looks for.
FOREIGN = re.compile(
    "|".join(
        (
            r"/" + r"work/(?:wt|main|shared|tools|\.)",
            r"/" + r"root/",
            r"/" + r"home/\w",
            r"files\." + r"pythonhosted",
            r"index" + r"-url",
        )
    )
)


def test_nothing_of_one_machine_is_committed():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in committed()
        if (match := FOREIGN.search(text_of(path)))
    ]
    assert found == []


def test_other_licences_stay_with_the_peers():
    """Drivers that call ns-3 are GPL, live in profiling/peers and are in no wheel."""
    marker = "SPDX-License-Identifier: " + "GPL"
    elsewhere = [
        str(path.relative_to(ROOT))
        for path in committed()
        if marker in text_of(path) and path.relative_to(ROOT).parts[:2] != ("profiling", "peers")
    ]
    assert elsewhere == []
