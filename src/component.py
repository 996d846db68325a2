"""The component as a script, where the platform's test runner (datadirtest) looks for it.

It runs the data folder that KBC_DATADIR names, in the process that runs it, and returns when all is well: the runner
takes a SystemExit for a failure. Otherwise it exits with the code of a run. Arguments are the runner's, and not read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the data folder of the environment; SystemExit 1 or 2 when that fails."""
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [folder for folder in sys.path if folder != here]  # there `component` would be this very file
    from component.cli.run import run_folder  # noqa: PLC0415

    if code := run_folder(os.environ, None):
        sys.exit(code)


if __name__ == "__main__":
    main()
