#!/bin/sh
# Says what to install, if the interpreter $PYTHON or the compiler cannot build simcore.
python="${PYTHON:-python3}"
missing=""

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "simcore needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1 | head -n 1)."
    echo "Name another one, for instance: make PYTHON=python3.13 ..."
    exit 1
fi
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

"$python" -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python$version-venv"
header=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
[ -f "$header" ] || missing="$missing python$version-dev"
command -v "${CC:-cc}" >/dev/null 2>&1 || missing="$missing build-essential"

if [ -n "$missing" ]; then
    echo "Building simcore needs a few packages first. On Debian or Ubuntu:"
    echo "    sudo apt-get install$missing"
    exit 1
fi
