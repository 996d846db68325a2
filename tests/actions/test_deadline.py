from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from component.actions.dispatch import SECONDS, deadline

ROOT = Path(__file__).parents[2]


def test_the_deadline_is_within_the_platforms():
    assert SECONDS < 30


def test_a_block_that_takes_too_long_ends_the_process_with_a_sentence():
    program = (
        "import time\n"
        "from component.actions.dispatch import deadline\n"
        "with deadline(0.2):\n    time.sleep(20)\nprint('answer')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT, timeout=15
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("The action was not done after 0.2 seconds.")
    assert ended.stderr.count("\n") == 1


def test_a_block_that_is_done_is_left_alone():
    expired: list[float] = []
    with deadline(0.05, expired.append):
        pass
    time.sleep(0.15)
    assert expired == []
