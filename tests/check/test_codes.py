from __future__ import annotations

import ast
from pathlib import Path

from component.check.finding import CHECK_CODES, CHECK_REMEDIES, error, warning
from component.errors import CODES, REMEDIES

ROOT = Path(__file__).parents[2]


def codes_used():
    rooms = ROOT / "component"
    for path in (*(rooms / "check").glob("*.py"), rooms / "mapping" / "jobs" / "job.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        listed = {key for node in nodes if isinstance(node, ast.Dict) for key in node.keys}  # the codes' own tables
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in listed:
                yield node.value


def test_every_code_of_a_check_is_used_and_none_is_an_errors():
    assert set(CHECK_CODES) <= set(codes_used())
    assert not set(CHECK_CODES) & set(CODES)


def test_every_code_has_a_remedy():
    assert set(CHECK_REMEDIES) == set(CHECK_CODES)
    assert all(remedy.endswith(".") for remedy in CHECK_REMEDIES.values())
    assert warning("state.size", "x", "text").remedy == CHECK_REMEDIES["state.size"]
    assert error("store.full", "x", "text").remedy == REMEDIES["store.full"]


def test_the_page_lists_every_code():
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    for code, meaning in CHECK_CODES.items():
        assert f"| `{code}` | {meaning} |" in page
