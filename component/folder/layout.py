"""Where everything is in a data folder, and whether it can be written to."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from component.config.notation import is_loose, notation_of
from component.errors import UserError
from component.naming import CONFIG_FILE, STATE_FILE, STATE_YAML_FILE


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The tree of a data folder, at any root (reference keboola 1.1)."""

    root: Path

    @property
    def config(self) -> Path:
        """The configuration."""
        return self.root / CONFIG_FILE

    @property
    def in_tables(self) -> Path:
        """Input tables and their manifests."""
        return self.root / "in" / "tables"

    @property
    def loose(self) -> bool:
        """Whether it is a folder of files as a person has it, without in/."""
        return is_loose(self.root)

    @property
    def in_files(self) -> Path:
        """Input files and their manifests; of a loose folder all that lies in it."""
        return self.root if self.loose else self.root / "in" / "files"

    @property
    def in_state(self) -> Path:
        """The state that the run before left."""
        return self.root / "in" / self._state_name

    @property
    def out(self) -> Path:
        """Everything that a run writes."""
        return self.root / "out"

    @property
    def out_tables(self) -> Path:
        """Output tables and their manifests."""
        return self.out / "tables"

    @property
    def out_files(self) -> Path:
        """Output files and their manifests."""
        return self.out / "files"

    @property
    def out_state(self) -> Path:
        """The state that this run leaves."""
        return self.out / self._state_name

    @property
    def _state_name(self) -> str:
        return STATE_FILE if notation_of(self.root) == "json" else STATE_YAML_FILE

    def create_missing(self) -> None:
        """Make the output folders that are not there; UserError `output.unwritable` or `store.full`.

        Input folders are left as they are (reference keboola 10, S1: never write in in/); a missing one reads as empty.
        """
        for folder in (self.out_tables, self.out_files):
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)

    def check_writable(self) -> None:
        """Hold that files can be made in every output folder; UserError `output.unwritable` or `store.full`."""
        for folder in (self.out, self.out_tables, self.out_files):
            with writing(folder):
                # The dot keeps the platform from ever seeing the file (reference keboola 6.2).
                handle, name = tempfile.mkstemp(prefix=".check-", dir=folder)
                os.close(handle)
                Path(name).unlink()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's refusal to write into a UserError `output.unwritable`, or `store.full`."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise UserError("store.full", f"There is no space left to write {str(path)!r}") from error
        raise UserError(
            "output.unwritable",
            f"{str(path)!r} cannot be written: {error.strerror}",
            remedy="Give the user that runs Tablemill the right to write in out/.",
        ) from error


def entries(folder: Path) -> tuple[Path, ...]:
    """Return what the platform would see in a folder, sorted by name: everything without a dot in front.

    A folder that is not there is empty; UserError `source.missing` for one that cannot be listed.
    """
    try:
        found = tuple(sorted(path for path in folder.iterdir() if not path.name.startswith(".")))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UserError("source.missing", f"The folder {str(folder)!r} cannot be read: {error.strerror}") from error
    if found and not os.access(folder, os.X_OK):  # names can be listed, and nothing be known of what they name
        raise UserError("source.missing", f"The folder {str(folder)!r} may be listed, but not searched")
    return found
