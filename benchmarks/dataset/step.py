"""One step of one contender in a process of its own: what it costs is printed as one line of JSON.

Standard library only, so that it runs in any environment. Libraries are loaded before the clock starts; `process_cpu`
counts them too. The peak is the highest resident memory of the process, libraries and inputs included.
"""

import json
import re
import sys
import time
from pathlib import Path


def run(steps):
    """Run the step that the command line names: `script.py STEP FOLDER`. A step takes the folder, and may prepare.

    A step is a function of the folder that returns what is measured: a function without arguments that returns a
    number to check (rows, mostly).
    """
    name, folder = sys.argv[1:3]
    act = steps[name](Path(folder))
    wall, cpu = time.perf_counter(), time.process_time()
    found = act()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text()).group(1)) / 1000
    total = time.process_time()
    print(json.dumps({"wall": wall, "cpu": cpu, "process_cpu": total, "peak_mb": peak, "found": found}))
