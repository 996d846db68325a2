"""Checksums within a Parquet file, for what its page checksums leave out: page headers and the footer.

They stand between the last page and the footer, where the format leaves room and readers go by offsets: for each column
chunk of each row group where it ends and its CRC-32; how many there are; the CRC-32 of these and of the footer; a mark.
So a reader that wants three columns checks those three and the footer, once each, as it reads them, and a file
carries its checks into copies, archives, and commits of other clients.

CRC-32 finds every error of up to 32 bits in a row, so every flipped byte. A flipped byte of the mark makes a file
without checks, of which all that is read is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from isal.isal_zlib import crc32

from component import naming
from component.dataset.format.soundness import damaged

MARK: Final = b"\x89tmseal\x01"
"""No text ends so, and no run of numbers is likely to."""
_CHUNKS: Final = np.dtype([("end", "<u8"), ("check", "<u4")])
_WORD: Final = 4
_HEAD: Final = 4
"""Bytes before the first column chunk: the magic of the format, as at the end."""
_AFTER: Final = 8
"""Bytes after the footer: its length, and the magic."""
_TAIL: Final = 64 * naming.KIB
MAGIC: Final = b"PAR1"


def seal(data: pa.Buffer, footer: pq.FileMetaData | None = None) -> pa.Buffer:
    """Return a Parquet file, without page index and Bloom filters, with its checksums; a known footer is not read."""
    view = memoryview(data).cast("B")
    start = len(view) - _AFTER - int.from_bytes(view[-_AFTER:-_WORD], "little")
    ends = _chunk_ends(footer or pq.read_metadata(pa.BufferReader(data)))
    chunks = np.empty(len(ends), _CHUNKS)
    chunks["end"] = ends
    chunks["check"] = [crc32(view[a:b]) for a, b in zip([_HEAD, *ends], ends, strict=False)]
    checks = chunks.tobytes() + _word(len(ends))
    check = _word(crc32(view[start:], crc32(checks)))
    return _joined([view[:start], checks, check, MARK, view[start:]])


def _joined(parts: Sequence[bytes | memoryview]) -> pa.Buffer:
    """Return parts as one buffer of Arrow's pool, whose memory is warm: for large files that is five times as fast."""
    joined = pa.allocate_buffer(sum(map(len, parts)))
    view, at = memoryview(joined).cast("B"), 0
    for part in parts:
        view[at : at + len(part)] = part
        at += len(part)
    return joined


def _chunk_ends(metadata: pq.FileMetaData) -> list[int]:
    """Return where each column chunk ends: they lie one behind the other."""
    ends: list[int] = []
    end = _HEAD
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for position in range(metadata.num_columns):
            end += group.column(position).total_compressed_size
            ends.append(end)
    return ends


def _word(number: int) -> bytes:
    return number.to_bytes(_WORD, "little")


class SealedFile(pq.ParquetFile):  # type: ignore[misc]
    """A Parquet file whose chunks are compared with their checksums when they are read, each once.

    `read` and `read_row_groups` raise DamagedError. The other ways to read check pages only.
    """

    def __init__(self, file: pa.NativeFile, metadata: pq.FileMetaData, chunks: Any) -> None:
        super().__init__(file, metadata=metadata, page_checksum_verification=True)
        self._file, self._chunks = file, chunks

    def read(self, columns: Sequence[str] | None = None, use_threads: bool = False, **_: Any) -> pa.Table:
        """Return columns (None: all) of all rows; those that the file lacks are left out."""
        return self.read_row_groups(list(range(self.num_row_groups)), columns, use_threads)

    def read_row_groups(
        self, row_groups: Sequence[int], columns: Sequence[str] | None = None, use_threads: bool = False, **_: Any
    ) -> pa.Table:
        """Return columns (None: all) of row groups; those that the file lacks are left out."""
        names = list(dict.fromkeys(self.schema_arrow.names if columns is None else columns))
        checked = pq.ParquetFile(self._checked(names, row_groups), metadata=self.metadata)
        return checked.read_row_groups(list(row_groups), columns=names, use_threads=use_threads)

    def _checked(self, names: Sequence[str], groups: Sequence[int]) -> pa.NativeFile:
        """Return a file that has the chunks of these columns at their places; the rest is not read, and no memory."""
        ends = self._chunks["end"].astype(np.int64)
        starts = np.concatenate([[_HEAD], ends[:-1]])
        runs = _runs(self._wanted(names, groups))
        space = np.zeros(int(ends[runs[-1][1]]) if runs else 0, np.uint8)
        view = space.data
        for first, last in runs:
            start, end = int(starts[first]), int(ends[last])
            self._file.seek(start)
            if self._file.readinto(view[start:end]) != end - start:
                raise damaged("A Parquet file")
            for number in range(first, last + 1):
                if crc32(view[starts[number] : ends[number]]) != self._chunks["check"][number]:
                    raise damaged("A Parquet file")
        return pa.BufferReader(pa.py_buffer(space))

    def _wanted(self, names: Sequence[str], groups: Sequence[int]) -> list[int]:
        """Return the numbers of the chunks that pyarrow reads for these columns."""
        schema, wanted = self.metadata.schema, set(names)
        count = self.metadata.num_columns
        positions = [at for at in range(count) if not wanted.isdisjoint(_prefixes(schema.column(at).path))]
        return [group * count + position for group in sorted(set(groups)) for position in positions]


def _prefixes(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of numbers that follow one another; they are sorted."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def open_parquet(file: pa.NativeFile) -> pq.ParquetFile:
    """Open a Parquet file: its footer is read once, and compared with its checksum, if there is one.

    DamagedError where they differ; pyarrow's errors and OSError for what is no Parquet.
    """
    size = file.size()
    tail = _tail(file, size, _TAIL)
    length = int.from_bytes(tail[-_AFTER:-_WORD], "little")
    if length + _AFTER > size or tail[-_WORD:] != MAGIC:
        raise pa.ArrowInvalid("it is no Parquet file, or its end is damaged")
    if length + _AFTER + _TAIL > len(tail) and len(tail) < size:
        tail = _tail(file, size, length + _AFTER + _TAIL)
    at = len(tail) - _AFTER - length
    chunks = _checks(file, size, tail, at)
    metadata = pq.read_metadata(pa.BufferReader(tail[at:]))
    if chunks is None:
        return pq.ParquetFile(file, metadata=metadata, page_checksum_verification=True)
    if len(chunks) != metadata.num_row_groups * metadata.num_columns:
        raise damaged("The footer of a Parquet file")
    return SealedFile(file, metadata, chunks)


def is_sealed(data: bytes) -> bool:
    """Say whether a Parquet file has checksums of ours."""
    return isinstance(open_parquet(pa.BufferReader(data)), SealedFile)


def lost_seal(data: bytes) -> bool:
    """Say whether a Parquet file without rows, which has nothing but a footer, has other bytes and yet no checksum."""
    footer = int.from_bytes(data[-_AFTER:-_WORD], "little")
    return len(data) > _HEAD + footer + _AFTER and not is_sealed(data)


def _tail(file: pa.NativeFile, size: int, wanted: int) -> bytes:
    count = min(size, wanted)
    return bytes(file.read_at(count, size - count))


def _checks(file: pa.NativeFile, size: int, tail: bytes, at: int) -> Any:
    """Return the chunks with their checksums; None for a file that is not sealed. The footer begins at `at`.

    A mark elsewhere is either data, or that of a file whose length of the footer is damaged.
    """
    mark = tail.rfind(MARK)
    head, footer = mark - 2 * _WORD, mark + len(MARK)
    if head < 0:
        return None
    length = int.from_bytes(tail[head : head + _WORD], "little") * _CHUNKS.itemsize
    possible = length <= size - (len(tail) - head)
    before = _before(file, size, tail, head, length) if possible else b""
    end = len(tail) - _AFTER
    sound = tail[footer:end] + _word(max(0, end - footer)) + MAGIC
    check = crc32(sound, crc32(tail[head : head + _WORD], crc32(before)))
    same = possible and check == int.from_bytes(tail[head + _WORD : mark], "little")
    if same != (footer == at):
        raise damaged("The footer of a Parquet file")
    return np.frombuffer(before, _CHUNKS) if same else None


def _before(file: pa.NativeFile, size: int, tail: bytes, head: int, length: int) -> bytes:
    """Return the bytes that end at `head` within the tail of a file."""
    if length <= head:
        return tail[head - length : head]
    return bytes(file.read_at(length, size - len(tail) + head - length))
