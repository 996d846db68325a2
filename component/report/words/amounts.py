"""Numbers as people read them: counts with thousands, sizes in decimal units, times in the two largest units."""

from __future__ import annotations

from typing import Final

_SIZES: Final = ("B", "kB", "MB", "GB", "TB", "PB")


def counted(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 row`, `1,234 rows`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def size_text(byte_count: float) -> str:
    """Return a size in powers of 1000: `999 B`, `12.3 MB`."""
    if byte_count < 1000:
        return f"{byte_count:.0f} B"
    value, unit = byte_count, 0
    while round(value, 1) >= 1000 and unit < len(_SIZES) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:,.1f} {_SIZES[unit]}"


def time_text(seconds: float) -> str:
    """Return a duration: `0.3 s`, `1 min 05 s`, `2 h 10 min`."""
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
