"""Hand-written stubs say what the compiled modules have.

Classes that only compiled code uses need no stub.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE

STUBS = sorted(
    path
    for folder in ("simcore", "models", "examples")
    for path in (ROOT / folder).rglob("*.pyi")
    if path.with_suffix(".pyx").exists()
)


def module_of(stub: Path) -> object:
    parts = stub.relative_to(ROOT).with_suffix("").parts
    return import_module(".".join(parts if parts[0] == "simcore" else ("simcore", *parts)))


def members(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


def is_typing_only(node: ast.stmt) -> bool:
    """A protocol or an alias describes what callers hand in; it need not exist."""
    if isinstance(node, ast.AnnAssign):
        return getattr(node.annotation, "id", "") == "TypeAlias"
    if not isinstance(node, ast.ClassDef):
        return False
    bases = [getattr(base, "id", getattr(base, "attr", "")) for base in node.bases]
    return bool({"Protocol", "TypedDict"} & set(bases))


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_name_of_the_stub_exists(stub):
    module = module_of(stub)
    missing = []
    for name, node in members(ast.parse(stub.read_text()).body).items():
        if name.startswith("_") or is_typing_only(node):
            continue
        if not hasattr(module, name):
            missing.append(name)
        elif isinstance(node, ast.ClassDef):
            real = getattr(module, name)
            # A class that is no extension type has its fields in instances only.
            plain = bool(real.__flags__ & HEAP_TYPE)
            missing += [
                f"{name}.{member}"
                for member, declared in members(node.body).items()
                if not hasattr(real, member)
                and not (plain and isinstance(declared, ast.AnnAssign))
                and member != "__getattr__"
            ]
    assert missing == []


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_public_function_is_in_the_stub(stub):
    module = module_of(stub)
    listed = members(ast.parse(stub.read_text()).body)
    missing = []
    for name, value in vars(module).items():
        if name.startswith("_") or isinstance(value, type) or not callable(value):
            continue
        own = getattr(value, "__module__", None) == module.__name__
        if own and name not in listed:
            missing.append(name)
    assert missing == []
