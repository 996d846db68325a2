"""The image under a memory limit: data-sample within 512 MB, and lineitem within 1.5 GB, on two cores.

    python benchmarks/container.py --image tablemill            data-sample
    python benchmarks/container.py --image tablemill --large    lineitem, scale 1, too

The kernel kills what goes beyond the limit, so that a run ends at all is the result; its peak, the file cache included,
is printed beside.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import lineitem

ROOT = Path(__file__).parents[1]
CGROUPS = Path("/sys/fs/cgroup")
PEAKS = ("memory.peak", "memory.max_usage_in_bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", default="tablemill")
    parser.add_argument("--large", action="store_true", help="lineitem within 1.5 GB, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        sample = Path(folder) / "sample"
        shutil.copytree(ROOT / "data-sample", sample)
        run(arguments.image, "data-sample", sample, "512m")
        if arguments.large:
            data = Path(folder) / "data"
            lineitem.data_folder(1, data, data / "store")
            source = lineitem.csv_path(1)
            run(arguments.image, "lineitem, scale 1", data, "1500m", [f"--volume={source.parent}:{source.parent}:ro"])


def run(image: str, name: str, data: Path, limit: str, more: list[str] | None = None) -> None:
    """Run a folder within a limit and print what it took; RuntimeError when it does not end well."""
    words = ["create", f"--memory={limit}", f"--memory-swap={limit}", "--cpus=2", f"--volume={data}:/data"]
    container = _docker(*words, *(more or []), image)
    try:
        started = time.monotonic()
        _docker("start", container)
        peak = 0
        while _docker("inspect", "--format={{.State.Running}}", container) == "true":
            peak = max(peak, _peak(container))
            time.sleep(0.1)
        seconds = time.monotonic() - started
        code, killed = _docker("inspect", "--format={{.State.ExitCode}} {{.State.OOMKilled}}", container).split()
        print(f"| {name} | {limit} | {seconds:.1f} s | {peak / 1e6:.0f} MB | exit {code} |", flush=True)
        if (code, killed) != ("0", "false"):
            raise RuntimeError(_docker("logs", container))
    finally:
        _docker("rm", "--force", container)


def _peak(container: str) -> int:
    """Return the most that a container has used, by its control group; 0 where the engine runs elsewhere."""
    for name in PEAKS:
        for place in CGROUPS.glob(f"**/*{container}*/{name}"):
            with contextlib.suppress(OSError):
                return int(place.read_text())
    return 0


def _docker(*words: str) -> str:
    done = subprocess.run(["docker", *words], text=True, capture_output=True, check=True)
    return (done.stdout + done.stderr).strip() if words[0] == "logs" else done.stdout.strip()


if __name__ == "__main__":
    main()
