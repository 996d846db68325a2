"""The whole plan of data-sample, as text: a change of any decision shows here."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path

from component.config.load import load_config
from component.folder.layout import DataFolder
from component.plan.asked import asked_of
from component.plan.build import build_plan
from component.plan.sources import find_sources

SAMPLE = Path(__file__).parents[2] / "data-sample"
PRINTED = Path(__file__).parents[1] / "data" / "plan-of-data-sample.txt"


def printed(value, indent=""):
    """Print a plan with one value on a line; what has its default is left out."""
    if is_dataclass(value):
        lines = [type(value).__name__]
        for field in fields(value):
            held = getattr(value, field.name)
            if held != field.default and held not in ((), {}, frozenset(), None):
                lines.append(f"{indent}  {field.name}: {printed(held, indent + '  ')}")
        return "\n".join(lines)
    if isinstance(value, tuple) and any(is_dataclass(one) for one in value):
        return "".join(f"\n{indent}  - {printed(one, indent + '    ')}" for one in value)
    if isinstance(value, Path):
        return value.relative_to(SAMPLE).as_posix()
    if isinstance(value, frozenset):
        return ", ".join(sorted(value))
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def sample_plan():
    config = load_config(SAMPLE)
    sources, warnings = find_sources(DataFolder(SAMPLE), asked_of(config))
    return build_plan(config, sources, warnings)


def text_of(plan):
    """The printed plan without its limits, whose defaults are tuned now and then."""
    lines = printed(replace(plan, limits=None)).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def test_the_plan_of_the_sample_is_the_printed_one():
    assert text_of(sample_plan()) == PRINTED.read_text(encoding="utf-8")
