#!/bin/sh
# make_venv.sh PYTHON DIR: make a virtual environment, or say what the machine lacks.
set -eu
python=$1
dir=$2

"$python" - <<'CHECK'
import sys
if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit(f"Octavo needs Python 3.11, 3.12 or 3.13, found {found}. Name another one: make PYTHON=python3.12")
CHECK

# Debian splits `venv` from Python.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing python3-venv, which Debian keeps apart from Python ..."
        apt-get install -qq -y python3-venv >/dev/null || { apt-get update -qq && apt-get install -qq -y python3-venv >/dev/null; }
    else
        echo "$python has no venv module. On Debian: sudo apt-get install python3-venv" >&2
        exit 1
    fi
fi

"$python" -m venv "$dir"
