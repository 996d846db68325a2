"""Results of parsing files, kept between runs in a folder that the configuration names."""

from __future__ import annotations

import functools
from importlib.metadata import version
from pathlib import Path
from typing import Final

import component.workbench
from component.config.reading import FileReading
from component.errors import Place, UserError
from component.plan.asked import Asked
from component.workbench.cache.cache_key import cache_key, code_version, input_of_file
from component.workbench.cache.render_cache import CacheBounds, RenderCache

_LIBRARIES: Final = ("chardet", "openpyxl", "pyarrow", "xlrd")
_DAY: Final = 24 * 3600


def open_cache(asked: Asked) -> RenderCache | None:
    """Return the cache that is configured; None when none is."""
    chosen = asked.cache
    if chosen is None:
        return None
    return RenderCache(Path(chosen.folder), CacheBounds(chosen.max_bytes, chosen.max_days * _DAY), asked.say)


def result_key(path: Path, name: str, reading: FileReading, delimiter: str | None) -> str:
    """Return what a result is kept under: the file, how it is read, and our code that reads it."""
    try:
        known = input_of_file(path, name)
    except OSError as error:
        text = f"The file cannot be read: {error.strerror}"
        raise UserError("source.format", text, place=Place(table=path.name)) from error
    return cache_key([known], {**reading.model_dump(mode="json"), "delimiter": delimiter}, _code())


@functools.cache
def _code() -> str:
    package = Path(component.workbench.__path__[0])
    return code_version(package, *(f"{name} {version(name)}" for name in _LIBRARIES))
