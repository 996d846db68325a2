"""records-mover moves a directory into another in a variant: `move.py SOURCE TARGET VARIANT`."""

import sys
from pathlib import Path

from records_mover import Session
from records_mover.records import DelimitedRecordsFormat

source, target, variant = sys.argv[1:4]
ISO = {
    "dateformat": "YYYY-MM-DD",
    "datetimeformat": "YYYY-MM-DD HH24:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF",
}
Path(target).mkdir()
records = Session(session_type="env").records
chosen = DelimitedRecordsFormat(variant=variant, hints=ISO)
records.move(
    records.sources.directory_from_url(f"{Path(source).resolve().as_uri()}/"),
    records.targets.directory_from_url(f"{Path(target).resolve().as_uri()}/", records_format=chosen),
)
