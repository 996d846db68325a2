"""kartothek needs Python 3.8: where `make test` found none, these tests are not collected, and the session says so."""

from tests.kartothek.process import kartothek, kartothek_python
from tests.runner.conftest import folder, run, scratch

__all__ = ["folder", "kartothek", "run", "scratch"]

collect_ignore_glob = [] if kartothek_python().exists() else ["test_*.py"]


def pytest_report_header() -> str:
    if collect_ignore_glob:
        return "kartothek: there is no environment (`make kartothek` makes it), so tests/kartothek is left out"
    return f"kartothek: {kartothek_python()}"
