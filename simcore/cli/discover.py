"""Finding scenarios: the bundled ones in ``simcore.examples``, and those in a user's script.

``bundled`` reads the files' syntax and imports none of them, so that listing stays cheap.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from simcore.cli.errors import UsageError, did_you_mean
from simcore.scenario import Scenario

__all__ = ["Bundled", "bundled", "load"]

EXAMPLES = "simcore.examples"


@dataclass(frozen=True)
class Bundled:
    """A scenario that comes with simcore.

    Attributes
    ----------
    name
        Name on the command line: file ``wifi_manager.py`` is ``wifi-manager``.
    module
        Name to import.
    summary
        First line of the scenario's docstring, or else the module's.
    """

    name: str
    module: str
    summary: str


def bundled() -> dict[str, Bundled]:
    """Return the bundled scenarios by name, in alphabetical order."""
    spec = find_spec(EXAMPLES)
    found: dict[str, Bundled] = {}
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.py")):
            if path.stem.startswith("_"):
                continue
            summary = _summary(path)
            if summary is not None:
                name = path.stem.replace("_", "-")
                found[name] = Bundled(name, f"{EXAMPLES}.{path.stem}", summary)
    return found


def _summary(path: Path) -> str | None:
    """Return a line about the scenario in a file, None if it defines none."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return None
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and _is_scenario(node)]
    if not classes:
        return None
    named = [node for node in classes if _same_name(node.name, path.stem)]
    text = ast.get_docstring((named or classes)[0]) or ast.get_docstring(tree) or ""
    return text.partition("\n")[0].rstrip()


def _is_scenario(node: ast.ClassDef) -> bool:
    names = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
             for base in node.bases]
    return "Scenario" in names


def _same_name(class_name: str, stem: str) -> bool:
    return class_name.lower() == stem.replace("_", "").lower()


def load(target: str) -> type[Scenario]:
    """Return the scenario class that a command line names.

    Parameters
    ----------
    target
        Name of a bundled scenario, or path of a script; either may be followed by ``:CLASS``.

    Raises
    ------
    UsageError
        If there is no such scenario, script or class.
    """
    place, _, class_name = target.partition(":")
    if place.endswith(".py") or "/" in place:
        module = _import_script(Path(place))
        stem = Path(place).stem
    else:
        known = bundled()
        name = place.replace("_", "-")
        if name not in known:
            raise UsageError(
                f"unknown scenario {place!r}{did_you_mean(name, known)}"
                f" 'simcore list' shows the bundled ones; a script's name ends in .py"
            )
        module = import_module(known[name].module)
        stem = name.replace("-", "_")
    return _choose(module, stem, class_name, place)


def _import_script(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"no script {str(path)!r}: there is no such file")
    # As `python SCRIPT.py` would: the script may import its neighbours.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # Not the bare stem: a script named random.py must not stand in for that module.
    name = f"simcore_script_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{str(path)!r} is not a Python script: its name must end in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _choose(module: ModuleType, stem: str, class_name: str, place: str) -> type[Scenario]:
    scenarios = {
        value.__name__: value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Scenario)
        and value is not Scenario
        and value.__module__ == module.__name__
    }
    if class_name:
        if class_name not in scenarios:
            raise UsageError(
                f"{place} has no scenario class {class_name!r}{did_you_mean(class_name, scenarios)}"
                f" It has: {', '.join(scenarios) or 'none'}"
            )
        return scenarios[class_name]
    named = [value for name, value in scenarios.items() if _same_name(name, stem)]
    if len(named) == 1:
        return named[0]
    if len(scenarios) == 1:
        return next(iter(scenarios.values()))
    if not scenarios:
        raise UsageError(f"{place} defines no subclass of simcore.Scenario")
    raise UsageError(
        f"{place} defines several scenarios: write {place}:CLASS, CLASS being one of"
        f" {', '.join(scenarios)}"
    )
