"""Where a command ends: every exception becomes an exit code and one sentence on stderr.

Exit codes: 0 done, 1 the user or a retry can help, 2 a fault of ours (reference keboola 1.5).
"""

from __future__ import annotations

import sys

from component.errors import TablemillError
from component.report.failure import render_failure
from component.report.log import Log
from component.runner.interrupts import Interrupted


def fail(error: BaseException, log: Log) -> int:
    """Say what went wrong, once, and return the exit code."""
    if isinstance(error, Interrupted):
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    width = log.screen.width if log.screen is not None else None
    sys.stderr.write(render_failure(error, width, log=log) + "\n")
    return error.exit_code if isinstance(error, TablemillError) else 2
