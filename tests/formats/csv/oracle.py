"""Strict RFC 4180, one character after the other: slow, obvious, and the judge of every strict reader."""

from __future__ import annotations

from dataclasses import dataclass

from component.formats.csv.dialect import Dialect


@dataclass(frozen=True, slots=True)
class OracleRecord:
    """The cells of a record, which of them were enclosed, and the codes of their faults in order."""

    cells: tuple[str, ...]
    enclosed: tuple[bool, ...]
    faults: tuple[tuple[int, str], ...]
    start: int
    stop: int

    @property
    def fault(self) -> str | None:
        return self.faults[0][1] if self.faults else None

    @property
    def is_open(self) -> bool:
        return any(code == "csv.unclosed_quote" for _, code in self.faults)

    @property
    def is_blank(self) -> bool:
        return self.cells == ("",) and not self.enclosed[0]

    @property
    def values(self) -> tuple[str | None, ...]:
        """An empty cell is null unless it is enclosed."""
        pairs = zip(self.cells, self.enclosed, strict=True)
        return tuple(cell if cell or enclosed else None for cell, enclosed in pairs)


def records(text: str, dialect: Dialect | None = None) -> list[OracleRecord]:
    """All records, blank ones included; an empty remainder is none. A cell that is never closed takes what follows."""
    dialect = dialect or Dialect()
    found: list[OracleRecord] = []
    at = 0
    while at < len(text):
        record = _record(text, at, dialect)
        found.append(record)
        at = record.stop
    return found


def rows(text: str, width: int, dialect: Dialect | None = None) -> list[OracleRecord]:
    """The records that count: a blank one is a row in a table of one column only."""
    return [record for record in records(text, dialect) if width == 1 or not record.is_blank]


def code_of(record: OracleRecord, width: int) -> str | None:
    """What is wrong with a row of text."""
    return record.fault or ("row.cells" if len(record.cells) != width else None)


def _record(text: str, start: int, dialect: Dialect) -> OracleRecord:  # noqa: C901, PLR0912 - one state machine
    cells, enclosed, faults = [""], [False], []
    state = "start"  # of a cell; else "bare", "inside" or "closed"
    at = start
    while True:
        character = text[at] if at < len(text) else ""
        if state == "inside":
            if not character:
                faults.append((len(cells) - 1, "csv.unclosed_quote"))
                break
            if character == dialect.enclosure and text[at + 1 : at + 2] == dialect.enclosure:
                cells[-1] += character
                at += 1
            elif character == dialect.enclosure:
                state = "closed"
            else:
                cells[-1] += character
        elif not character or character in "\r\n":
            break
        elif character == dialect.delimiter:
            cells.append("")
            enclosed.append(False)
            state = "start"
        elif state == "start" and character == dialect.enclosure:
            enclosed[-1] = True
            state = "inside"
        else:
            if state == "closed":
                faults.append((len(cells) - 1, "csv.after_quote"))
            elif character == dialect.enclosure:
                faults.append((len(cells) - 1, "csv.quote_in_cell"))
            cells[-1] += character
            state = "bare" if state == "start" else state
        if character == "\0":
            faults.append((len(cells) - 1, "csv.nul"))
        at += 1
    at += 2 if text[at : at + 2] == "\r\n" else len(text[at : at + 1])
    return OracleRecord(tuple(cells), tuple(enclosed), _by_cell(faults), start, at)


def _by_cell(faults: list[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """Of several faults of one cell that of its enclosures counts, a NUL last."""
    order = ["csv.unclosed_quote", "csv.after_quote", "csv.quote_in_cell", "csv.nul"]
    return tuple(sorted(faults, key=lambda fault: (fault[0], order.index(fault[1]))))
