"""Names, suffixes, limits and defaults that more than one room needs; what a single room needs is in that room."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Final

from component import file_types

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

# --- the data folder (reference keboola 1.1) ---
CONFIG_FILE: Final = "config.json"
CONFIG_YAML_FILE: Final = "config.yml"
STATE_FILE: Final = "state.json"
USAGE_FILE: Final = "usage.json"
RESULT_FILE: Final = "result.json"
STATE_YAML_FILE: Final = "state.yml"
MANIFEST_SUFFIX: Final = ".manifest"
DEFAULT_DATA_DIR: Final = "/data"
REJECTED_SUFFIX: Final = ".rejected"
HIGHEST_PORT: Final = 65535
FALLBACK_BUCKET: Final = "out.c-tablemill"
"""Bucket of output tables where no default bucket applies (docs/configuration.md)."""

# --- CSV (RFC 4180) ---
DELIMITER: Final = ","
ENCLOSURE: Final = '"'
UTF8_BOM: Final = b"\xef\xbb\xbf"
RECORD_LIMIT: Final = 64 * MIB
"""Longest record that is read; a longer one is an error, not an out-of-memory kill."""

# --- dataset (reference kartothek 1.1) ---
METADATA_VERSION: Final = 4
HEADER_JSON_SUFFIX: Final = ".by-dataset-metadata.json"
HEADER_MSGPACK_SUFFIX: Final = ".by-dataset-metadata.msgpack.zstd"
INDEX_SUFFIX: Final = ".by-dataset-index.parquet"
COMMON_METADATA: Final = "_common_metadata"
INDICES_FOLDER: Final = "indices"
HISTORY_FOLDER: Final = "_history"
HISTORY_SUFFIX: Final = ".msgpack.zstd"
FACTS_SUFFIX: Final = ".facts.arrow"
KEYS_FOLDER: Final = "_keys"
"""Below a dataset, where an upsert or a delete by key keeps the keys of its rows until it has committed."""
KEEP_COMMITS: Final = 10
KEEP_DAYS: Final = 7
"""History that a collection leaves: so many states, and all that were live within so many days."""
GARBAGE_MIN_AGE: Final = dt.timedelta(hours=24)
"""Younger objects are never collected: they may belong to a writer that has not committed yet."""
COMPACT_BYTES: Final = 128 * MIB
"""About so large does a compaction make files."""
PARQUET_SUFFIX: Final = file_types.PARQUET.suffix
MOST_CONFIGURED: Final = 10_000
"""Datasets, and outputs, of one configuration: as many as are checked in about ten seconds."""
CSV_SUFFIX: Final = file_types.CSV.suffix
STORED_CSV_SUFFIXES: Final = (CSV_SUFFIX, CSV_SUFFIX + file_types.GZIP.suffix)
"""Data files of datasets that are text: those that the original clients write."""
CSV_SUFFIXES: Final = (
    *STORED_CSV_SUFFIXES,
    file_types.TSV.suffix,
    file_types.TSV.suffix + file_types.GZIP.suffix,
)
"""Files of a person that are taken for delimited text by their names."""
DEFAULT_TABLE: Final = "table"
TABLE_UUID: Final = "{uuid}++{table}"
"""Uuid of a table that is a dataset of its own, as kartothek's cubes name their members."""
RESERVED_TABLES: Final = (INDICES_FOLDER, HISTORY_FOLDER, KEYS_FOLDER)
"""Folders below a dataset that are no tables: a table of such a name would be collected, or read as something else."""
UUID_PATTERN: Final = r"[a-zA-Z0-9+\-_]+"
ARCHIVE_SUFFIX: Final = ".dataset.zip"
ARCHIVE_TAG: Final = "tablemill-dataset"
RUN_DIGITS: Final = 12
"""Hexadecimal digits that begin the names of all files that one run or one change writes."""

# --- splitting and memory ---
SPLIT_BYTES: Final = 64 * MIB
BLOCK_BYTES: Final = 8 * MIB
BUFFER_BYTES: Final = 192 * MIB
"""Typed rows that one task holds before it writes files."""
DIRECT_FILES: Final = 4096
"""Most data files that splits may write directly; with more partition values rows are shuffled by key first."""
DIRECT_KEYS_PER_SPLIT: Final = 64
SHUFFLE_BYTES: Final = 64 * MIB
SPARK_REWRITE_BYTES: Final = 512 * MIB
"""Above these bytes of data files, and files, a change of a dataset outside of a run goes to Spark: its start takes
longer than to write less (docs/dataset-operations.md has the figures)."""
SPARK_REWRITE_FILES: Final = 4
REWRITE_GROUP_FILES: Final = 64
"""Most files that one task of a rewrite looks into, however small they are."""
MOST_BUCKETS: Final = 10_000

# --- limits of Storage (reference keboola 4.4, 4.6) ---
TABLE_NAME_LENGTH: Final = 96
BUCKET_NAME_LENGTH: Final = 96
COLUMN_NAME_LENGTH: Final = 64
SLICE_LIMIT: Final = 100 * 1000 * 1000
SLICES_LIMIT: Final = 1000
SLICES_TOTAL_LIMIT: Final = 50 * 1000 * 1000 * 1000
FILE_LIMIT: Final = 5 * 1000 * 1000 * 1000

# --- output ---
SLICE_BYTES: Final = 100 * 1000 * 1000
MAX_SLICES: Final = 1000
SLICE_NAME: Final = "part-{number:05d}.csv{suffix}"


def absolute_url(url: str, base: Path) -> str:
    """Return a relative path as the absolute one below `base`; URLs and absolute paths stay as they are."""
    return url if url.startswith(("/", "~")) or ":" in url else str(base.absolute() / url)
