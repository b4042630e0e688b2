"""Extension modules of simcore; everything else about the project is in pyproject.toml.

Build knobs (environment variables):

``SIMCORE_PROFILE=1``   function hooks, so that cProfile and pyinstrument see compiled functions
``SIMCORE_ANNOTATE=1``  Cython's annotated HTML beside each generated C file
``SIMCORE_DEBUG=1``     bounds checks and C assertions, no optimisation
``SIMCORE_EXTENSIONS=0`` no extensions: for an editable install that `build_ext --inplace` follows
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

ROOT = Path(__file__).resolve().parent
# Folder in the tree -> package it is imported as.
PACKAGES = {"simcore": "simcore", "models": "simcore.models", "examples": "simcore.examples"}
CIMPORT_TREE = ROOT / "build" / "cimport"

PROFILE = os.environ.get("SIMCORE_PROFILE") == "1"
ANNOTATE = os.environ.get("SIMCORE_ANNOTATE") == "1"
DEBUG = os.environ.get("SIMCORE_DEBUG") == "1"
JOBS = os.cpu_count() or 1


def mirror_cimport_tree() -> None:
    """Lay out the ``.pxd`` files under their import names, where ``cimport`` looks for them.

    ``models/`` is imported as ``simcore.models``; Cython resolves packages by folder only, so it
    needs a tree in which the folder has that name. Unchanged files keep their time stamps: a
    rebuild then recompiles only the users of a changed ``.pxd``.
    """
    wanted: set[Path] = set()
    for folder, package in PACKAGES.items():
        target = CIMPORT_TREE.joinpath(*package.split("."))
        for source in (ROOT / folder).rglob("*"):
            if source.suffix != ".pxd" and source.name != "__init__.py":
                continue
            copy = target / source.relative_to(ROOT / folder)
            wanted.add(copy)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.read_bytes() != source.read_bytes():
                shutil.copyfile(source, copy)
    if CIMPORT_TREE.exists():
        for stale in CIMPORT_TREE.rglob("*"):
            if stale.is_file() and stale not in wanted:
                stale.unlink()


def extensions() -> list[Extension]:
    """One extension for each ``.pyx``, named as it is imported."""
    if os.environ.get("SIMCORE_EXTENSIONS") == "0":
        return []
    if DEBUG:
        compile_args = ["-O0", "-g", "-Wall"]
    else:
        # No contraction to fused multiply-add: results must be the same bytes on every machine.
        compile_args = ["-O2", "-Wall", "-ffp-contract=off"]
    macros = []
    if PROFILE:
        macros.append(("CYTHON_TRACE", "0"))
    found = []
    for folder, package in PACKAGES.items():
        for source in sorted((ROOT / folder).rglob("*.pyx")):
            relative = source.relative_to(ROOT / folder).with_suffix("")
            name = ".".join([package, *relative.parts])
            path = str(source.relative_to(ROOT))
            found.append(
                Extension(
                    name, [path], extra_compile_args=compile_args, define_macros=macros
                )
            )
    return found


def package_names() -> list[str]:
    """Return the dotted names of all packages in the tree."""
    names = []
    for folder, package in PACKAGES.items():
        names.append(package)
        names += [f"{package}.{sub}" for sub in find_packages(str(ROOT / folder))]
    return names


mirror_cimport_tree()
setup(
    packages=package_names(),
    package_dir={package: folder for folder, package in PACKAGES.items()},
    # Here because pyproject.toml does not accept the key "", which stands for every package.
    package_data={"": ["*.pxd", "*.pyi", "*.csv", "py.typed"]},
    options={"build_ext": {"parallel": JOBS}},
    ext_modules=cythonize(
        extensions(),
        include_path=[str(CIMPORT_TREE)],
        build_dir="build/cython",
        nthreads=JOBS,
        annotate=ANNOTATE,
        compiler_directives={
            "language_level": "3",
            "boundscheck": DEBUG,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": False,
            "profile": PROFILE,
        },
    ),
)
