#!/bin/sh
# Builds the programs of matrix.yaml into build/: all of them, or those that are named. A part that is built is kept.
#   sh install.sh
#   sh install.sh typescript-1 go
set -eu
cd "$(dirname "$0")"
root=$(pwd)
[ $# -gt 0 ] || set -- typescript-1 typescript-2 python-1 python-2 fastmcp go rust java spring gateways

npm_part() { # folder
  mkdir -p "build/$1"
  cp "$1/package.json" "$1"/*.mjs ../../mocks/drivers/sdk-client.mjs "build/$1/"
  (cd "build/$1" && npm install --no-audit --no-fund --loglevel=error)
}

python_part() { # name, packages
  name=$1
  shift
  python3 -m venv --without-pip "build/$name"
  python3 -m pip --python "build/$name/bin/python" install -q "$@"
}

for part; do
  [ ! -e "build/$part/.built" ] || continue
  mkdir -p build
  case $part in
    typescript-1 | typescript-2) npm_part "$part" ;;
    python-1) python_part python-1 mcp==1.30.0 ;;
    python-2) python_part python-2 mcp==2.3.0 ;;
    fastmcp) python_part fastmcp fastmcp==4.1.0 ;;
    go) (cd go && go build -o "$root/build/go/" ./server ./client ./mcpgo ./mcpgoclient) ;;
    rust) (cd rust && cargo build --locked --target-dir "$root/build/rust") ;;
    java | spring)
      rm -rf "build/$part" && cp -r "$part" build/
      (cd "build/$part" && mvn -q -B package)
      ;;
    gateways) python_part gateways mcp-proxy==0.13.0 ;;
    *)
      echo "There is no part $part." >&2
      exit 2
      ;;
  esac
  touch "build/$part/.built"
done
