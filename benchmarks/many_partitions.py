"""10,000 partition values in every split: files, memory and time stay bounded (lineitem, scale 1, by supplier)."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import lineitem
from measure import measure


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        options = {"partition_on": ["l_suppkey"], "secondary_indices": []}
        data = lineitem.data_folder(1, folder / "data", folder / "store", **options)
        measured = measure(
            [str(Path(sys.executable).with_name("tablemill")), "run", "--follow-links", "--data", str(data)]
        )
        files = sum(1 for _ in (folder / "store").rglob("*.parquet"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{files} files, {measured.wall:.1f} s, {measured.cpu:.1f} CPU s, {measured.peak_mb:.0f} MB at the peak")
    print(measured.output.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
