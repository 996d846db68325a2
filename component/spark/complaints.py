"""What Java and Spark say when they do not start, as one sentence for people: no stack trace, no package names."""

from __future__ import annotations

import re
from typing import Final

_NOISE: Final = re.compile(
    r"\s*(?:at |\.\.\. \d+ more|WARNING:|Using Spark's|Setting default|To adjust|\d\d/\d\d/\d\d )"
)
_EMPTY_WORDS: Final = re.compile(r"Error: (?:Could not create the Java|A fatal exception)|Error occurred during")
_START: Final = re.compile(r'(?:Exception in thread "[^"]*" )?(?:Caused by: )?(?:[a-z]\w*\.)*')
_PLAIN_KINDS: Final = re.compile(r"(?:Spark|Runtime|IllegalArgument|SparkIllegalArgument)Exception: ")
_LONGEST: Final = 300


def complaint(text: str) -> str:
    """Return the first line that says what is wrong, without a full stop."""
    lines = (line.strip() for line in text.splitlines() if not _NOISE.match(line))
    said = [line for line in lines if line and not _EMPTY_WORDS.match(line)]
    telling = next((line for line in said if "Exception" in line or "Error" in line), said[0] if said else "no output")
    return _PLAIN_KINDS.sub("", _START.sub("", telling, count=1), count=1)[:_LONGEST].rstrip(".")
