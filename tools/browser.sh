#!/usr/bin/env bash
# Sets up what `make browser` looks with: Debian's Chromium, and axe-core as a package on PyPI has it.
set -euo pipefail
cd "$(dirname "$0")/.."
home="${SESSKIT_BROWSER:-$PWD/.browser}"
python="${PYTHON:-python3}"
axe="axe-playwright-python==0.1.8" # holds axe.min.js 4.12; Playwright itself is not needed

if ! command -v chromium >/dev/null 2>&1; then
  if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    echo "make browser needs Chromium: apt-get install chromium (as root), or your system's package" >&2
    exit 1
  fi
  log="$(mktemp)"
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    chromium fonts-dejavu-core; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "make browser could not install Debian's package chromium" >&2
    exit 1
  fi
  rm -f "$log"
fi
if [ "$(cat "$home/axe.txt" 2>/dev/null)" != "$axe" ]; then
  rm -rf "$home"
  mkdir -p "$home"
  "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$home/axe" "$axe"
  echo "$axe" > "$home/axe.txt"
fi
