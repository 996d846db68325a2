from __future__ import annotations

import ast
from pathlib import Path

from component.check.codes import CHECK_CODES
from component.errors import CODES

ROOT = Path(__file__).parents[2]


def codes_used():
    rooms = ROOT / "component"
    for path in (*(rooms / "check").glob("*.py"), rooms / "mapping" / "job.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and path.name != "codes.py":
                yield node.value


def test_every_code_of_a_check_is_used_and_none_is_an_errors():
    assert set(CHECK_CODES) <= set(codes_used())
    assert not set(CHECK_CODES) & set(CODES)


def test_the_page_lists_every_code():
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    for code, meaning in CHECK_CODES.items():
        assert f"| `{code}` | {meaning} |" in page
