#!/usr/bin/env bash
# Makes the environments of this checkout. `scripts/setup.sh --help` says how.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/setup.sh run|test|bench|plateau|plateau-pandas3|records|datadirtest|kartothek ...

Makes, or brings up to date, the environments of this checkout, and does nothing where nothing changed:
  run      .venv with what Tablemill needs to run, a Java where the machine has none, and the archive of Spark's classes
  test     the same, and what lint, type checks and tests need
  bench    the same, and the programs that the benchmark compares with
  plateau  .venv-plateau, where plateau (the other implementation of the dataset format) lives for the tests
  plateau-pandas3  .venv-plateau-pandas3, the same with pandas 3, whose texts and moments have other types
  records  .venv-records, where records-mover (the other implementation of records directories) lives for the tests;
           it needs Python 3.11, since its pandas has nothing for a newer one
  datadirtest  .venv-datadirtest, the test runner of the platform's components, which the tests give to .venv's Python
  kartothek  .venv-kartothek, where kartothek 5.3, the first implementation of the dataset format, lives for the tests;
           it needs Python 3.8, as python3.8, in pyenv, or named with PYTHON38. Without it its tests are not collected

Every package is checked against the hashes in requirements/*.lock.
PYTHON names the interpreter of new environments (default python3; at least 3.11).
TEXT
}

say() { printf '%s\n' "$*" >&2; }
die() { say "setup: $*"; exit 1; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONNOUSERSITE=1

python_for_environments() { # the interpreter that is asked for, or a newer one under its own name
  local candidate
  for candidate in "${PYTHON:-python3}" python3.11 python3.12 python3.13; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  die "no Python 3.11 or newer was found: install one, or name it with PYTHON=..."
}

make_environment() { # $1: folder. ensurepip is a package of its own on some systems: then pip or uv from outside serves
  local python
  python=$(python_for_environments)
  say "Making $1 with $("$python" --version)"
  if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    "$python" -m venv --clear "$1"
  elif "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m venv --clear --without-pip "$1"
  elif command -v uv >/dev/null; then
    uv venv --quiet --clear --python "$python" "$1"
  else
    die "$python has neither ensurepip nor pip: install python3-venv (or pip, or uv) and try again"
  fi
}

install() { # $1: folder, then what pip's install takes
  local environment=$1/bin/python python
  shift
  if "$environment" -c 'import pip' 2>/dev/null; then
    "$environment" -m pip install --quiet "$@"
    return
  fi
  python=$(python_for_environments)
  if "$python" -c 'import pip' 2>/dev/null; then
    "$python" -m pip --python "$environment" install --quiet "$@"
  else
    uv pip install --quiet --python "$environment" "$@"
  fi
}

install_lock() { # $1: folder, $2: lock. Source packages are built with the locked build tools, nothing else
  install "$1" --require-hashes -r requirements/build.lock
  install "$1" --require-hashes --no-build-isolation -r "requirements/$2.lock"
}

once() { # $1: folder, $2: name of a step, $3: what it depends on, then the step; done only when that changed
  local stamp=$1/stamps/$2 key=$3
  shift 3
  [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && return
  "$@"
  mkdir -p "${stamp%/*}"
  printf '%s\n' "$key" >"$stamp"
}

contents() { sha256sum "$@" | sha256sum | cut -d' ' -f1; }

environment() { # $1: folder, $2: lock
  "$1/bin/python" -c '' 2>/dev/null || make_environment "$1"
  once "$1" "$2" "$(contents requirements/build.lock "requirements/$2.lock")" lock_step "$1" "$2"
}

lock_step() {
  say "Installing requirements/$2.lock into $1"
  install_lock "$1" "$2"
}

project_step() {
  install .venv --no-deps --no-build-isolation --editable .
}

java_home() {
  .venv/bin/python -c 'from component.spark.java import find_java; print(find_java().home)' 2>/dev/null
}

java() { # the machine's Java 17 or newer, else the one of a locked package; then its archive of Spark's classes
  local home
  if ! home=$(java_home); then
    say "No Java 17 or newer here: installing one from requirements/java.lock"
    install_lock .venv java
    home=$(java_home) || die "the Java of requirements/java.lock does not run on this machine"
    "$home/bin/java" -Xshare:dump >/dev/null # the archive of its own classes, which the package leaves out
  fi
  once .venv classes "$home $(contents requirements/run.lock component/spark/jvm.py component/spark/record.py)" classes_step
}

classes_step() {
  say "Recording Spark's classes, which halves its start"
  rm -f .venv/share/tablemill/*.jsa
  .venv/bin/python -m component.spark.record
}

python_for_kartothek() { # the last Python that its pyarrow has packages for
  local candidate
  for candidate in "${PYTHON38:-}" python3.8 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.8.*/bin/python3.8; do
    if [ -n "$candidate" ] && "$candidate" -c 'import ensurepip, sys; sys.exit(sys.version_info[:2] != (3, 8))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

kartothek() { # nothing but a word where there is no Python 3.8: it is at the end of its life, and few have it
  local python
  if ! python=$(python_for_kartothek); then
    say "No Python 3.8 here, so .venv-kartothek is not made, and the tests with kartothek are left out"
    return
  fi
  .venv-kartothek/bin/python -c '' 2>/dev/null || "$python" -m venv --clear .venv-kartothek
  once .venv-kartothek kartothek "$(contents requirements/kartothek.lock)" kartothek_step
}

kartothek_step() {
  say "Installing requirements/kartothek.lock into .venv-kartothek"
  .venv-kartothek/bin/python -m pip install --quiet --require-hashes --no-deps --only-binary :all: -r requirements/kartothek.lock
}

records_environment() { # records-mover's pandas has wheels up to Python 3.11 only; uv can bring one
  local python=${RECORDS_PYTHON:-python3.11}
  if ! .venv-records/bin/python -c '' 2>/dev/null && ! "$python" -c '' 2>/dev/null; then
    command -v uv >/dev/null || die "records-mover needs Python 3.11: install it, or uv, or name it with RECORDS_PYTHON=..."
    say "Making .venv-records with a Python 3.11 of uv's"
    uv venv --quiet --clear --python 3.11 .venv-records
  fi
  PYTHON=$python environment .venv-records records
}

datadirtest() { # alone: what it records HTTP with is a dozen packages, and it does without them
  .venv-datadirtest/bin/python -c '' 2>/dev/null || make_environment .venv-datadirtest
  once .venv-datadirtest datadirtest "$(contents requirements/datadirtest.lock)" datadirtest_step
}

datadirtest_step() {
  say "Installing requirements/datadirtest.lock into .venv-datadirtest"
  install .venv-datadirtest --require-hashes --no-deps --only-binary :all: -r requirements/datadirtest.lock
}

main() {
  [ $# -gt 0 ] || { usage >&2; exit 2; }
  local name
  for name in "$@"; do
    case $name in
      run | test | bench)
        environment .venv "$name"
        once .venv project "$root $(contents pyproject.toml)" project_step
        java
        ;;
      plateau | plateau-pandas3) environment ".venv-$name" "$name" ;;
      datadirtest) datadirtest ;;
      kartothek) kartothek ;;
      records) records_environment ;;
      -h | --help) usage ;;
      *) usage >&2; exit 2 ;;
    esac
  done
}

main "$@"
