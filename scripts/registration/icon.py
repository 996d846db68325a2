"""The icon: a millstone that turns a table into a stack of files. Drawn large, then made small, so edges are smooth."""

from __future__ import annotations

import io
import math
from typing import Final

from PIL import Image, ImageDraw

SIZE: Final = 256
SCALE: Final = 4
STONE: Final = (44, 62, 80, 255)
LIGHT: Final = (236, 240, 241, 255)
GRAIN: Final = (243, 156, 18, 255)
SHEETS: Final = ((22, 160, 133, 255), (46, 204, 113, 255), (163, 228, 184, 255))


def icon() -> bytes:
    """Return the PNG: 256 by 256 pixels on a transparent ground."""
    image = Image.new("RGBA", (SIZE * SCALE, SIZE * SCALE), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    _sheets(draw)
    _stone(draw)
    _grains(draw)
    small = image.resize((SIZE, SIZE), Image.Resampling.LANCZOS)
    sink = io.BytesIO()
    small.save(sink, "PNG", optimize=True)
    return sink.getvalue()


def _box(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    return (left * SCALE, top * SCALE, right * SCALE, bottom * SCALE)


def _sheets(draw: ImageDraw.ImageDraw) -> None:
    """Draw the files that come out, the nearest in front."""
    for number, colour in enumerate(SHEETS):
        top = 176 + number * 22
        inset = 44 - number * 12
        draw.rounded_rectangle(_box(inset, top, SIZE - inset, top + 30), radius=10 * SCALE, fill=colour)
        draw.line(_box(inset + 18, top + 15, SIZE - inset - 18, top + 15), fill=LIGHT, width=4 * SCALE)


def _stone(draw: ImageDraw.ImageDraw) -> None:
    """Draw the millstone with its furrows and its eye."""
    middle_x, middle_y, radius = 128, 108, 84
    draw.ellipse(_box(middle_x - radius, middle_y - radius, middle_x + radius, middle_y + radius), fill=STONE)
    for number in range(8):
        angle = number * math.pi / 4
        start = (middle_x + 34 * math.cos(angle), middle_y + 34 * math.sin(angle))
        end = (middle_x + 72 * math.cos(angle + 0.35), middle_y + 72 * math.sin(angle + 0.35))
        draw.line(_box(*start, *end), fill=LIGHT, width=7 * SCALE)
    draw.ellipse(_box(middle_x - 24, middle_y - 24, middle_x + 24, middle_y + 24), fill=LIGHT)


def _grains(draw: ImageDraw.ImageDraw) -> None:
    """Draw the cells that fall into the eye."""
    for left, top in ((116, 8), (132, 8), (116, 24), (132, 24), (124, 96), (112, 106), (136, 106)):
        draw.rounded_rectangle(_box(left, top, left + 12, top + 12), radius=3 * SCALE, fill=GRAIN)
