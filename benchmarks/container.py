"""The image under a memory limit, on two cores: small folders within 512 MB, large ones within 1.5 GB.

    python benchmarks/container.py --image tablemill                  data-sample within 512 MB, 384 MB and 256 MB
    python benchmarks/container.py --image tablemill --large          lineitem, scale 5 (3.9 GB of CSV), too
    python benchmarks/container.py --image tablemill --large 1        lineitem of another scale

The kernel kills what goes beyond the limit, so that a run ends at all is the result. Beside it stand the most that its
processes held and could not give back (anonymous memory), and the peak of the control group. The latter includes the
file cache, which grows up to the limit with any large input and gives way when memory is needed.

With 256 MB the run must end with exit code 1 and one sentence that asks for more.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import lineitem

ROOT = Path(__file__).parents[1]
CGROUPS = Path("/sys/fs/cgroup")
PEAKS = ("memory.peak", "memory.max_usage_in_bytes")
HELD = (("anon", "shmem"), ("total_rss", "total_shmem"))
"""What of memory.stat is no file cache: control groups of version 2, and of version 1."""
SHORT = "want of memory. Give more memory"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, and what it held: peaks in bytes, 0 where the engine runs elsewhere."""

    code: int
    seconds: float
    held: int
    peak: int
    said: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", default="tablemill")
    parser.add_argument("--large", type=int, nargs="?", const=5, metavar="SCALE", help="lineitem within 1.5 GB, too")
    arguments = parser.parse_args()
    print("| folder | limit | wall s | anonymous MB | peak MB | end |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for limit in ("512m", "384m", "256m"):
            sample = Path(folder) / limit
            shutil.copytree(ROOT / "data-sample", sample)
            ended = run(arguments.image, "data-sample", sample, limit)
            if limit == "256m":
                hold(ended.code == 1 and SHORT in ended.said and ended.said.count("\n") == 0, ended)
            else:
                hold(ended.code == 0, ended)
        if arguments.large:
            data = Path(folder) / "data"
            lineitem.data_folder(arguments.large, data, Path("/data/store"))
            table = data / "in" / "tables" / "lineitem.csv"
            source = table.resolve()
            table.unlink()
            try:
                table.hardlink_to(source)
            except OSError:  # another file system
                shutil.copyfile(source, table)
            hold((ended := run(arguments.image, f"lineitem, scale {arguments.large}", data, "1500m")).code == 0, ended)


def hold(right: bool, ended: Ended) -> None:
    """RuntimeError with what a run said when it did not end as it should."""
    if not right:
        raise RuntimeError(ended.said)


def run(image: str, name: str, data: Path, limit: str) -> Ended:
    """Run a folder within a limit and print what it took."""
    words = ["create", f"--memory={limit}", f"--memory-swap={limit}", "--cpus=2", f"--volume={data}:/data"]
    container = _docker(*words, image)
    try:
        started = time.monotonic()
        _docker("start", container)
        held = peak = 0
        while _docker("inspect", "--format={{.State.Running}}", container) == "true":
            now_held, now_peak = _memory(container)
            held, peak = max(held, now_held), max(peak, now_peak)
            time.sleep(0.1)
        seconds = time.monotonic() - started
        code = int(_docker("inspect", "--format={{.State.ExitCode}}", container))
        print(f"| {name} | {limit} | {seconds:.1f} | {held / 1e6:.0f} | {peak / 1e6:.0f} | exit {code} |", flush=True)
        said = subprocess.run(["docker", "logs", container], text=True, capture_output=True, check=True).stderr
        return Ended(code, seconds, held, peak, said.strip())
    finally:
        _docker("rm", "--force", container)


def _memory(container: str) -> tuple[int, int]:
    """Return the anonymous memory that a container holds now, and the most it has used, by its control group."""
    held = peak = 0
    for group in CGROUPS.glob(f"**/*{container}*"):
        with contextlib.suppress(OSError):
            said = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            held = max(held, *(sum(int(said.get(key, 0)) for key in keys) for keys in HELD))
        for name in PEAKS:
            with contextlib.suppress(OSError):
                peak = max(peak, int((group / name).read_text()))
    return held, peak


def _docker(*words: str) -> str:
    return subprocess.run(["docker", *words], text=True, capture_output=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
