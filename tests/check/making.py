"""Folders to check, and how their findings are looked at."""

from __future__ import annotations

import json

from component.check.folder import check_folder

TABLE = "id,name\n1,a\n2,b\n"
MANIFEST = {"id": "in.c-main.t", "columns": ["id", "name"], "primary_key": ["id"]}


def lay_out(root, files=None, *, config=None):
    """Write files by their path, objects as JSON; a folder that nothing is wrong with unless `files` change that."""
    for part in ("in/tables", "in/files", "out/tables", "out/files"):
        (root / part).mkdir(parents=True, exist_ok=True)
    usual = {"in/tables/t.csv": TABLE, "in/tables/t.csv.manifest": MANIFEST, "config.json": config or {}}
    for name, content in {**usual, **(files or {})}.items():
        path = root / name
        if content is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return root


def check(root, *, follow_links=False, **variables):
    return check_folder({f"KBC_{name}": value for name, value in variables.items()}, root, follow_links=follow_links)


def found(report, *, places=True):
    """Return level, code and place of all findings."""
    return [(one.level.value, one.code, *([one.place] if places else [])) for one in report.findings]


def only(report, code):
    """Return the one finding of a code."""
    (finding,) = [one for one in report.findings if one.code == code]
    return finding
