"""Tables of CJWorkbench for Python: Arrow files, httpfiles, pandas frames and results (docs/workbench.md).

    from tablemill.workbench import coerce, rendered

    result = coerce(module_function(frame, params))
    kept = rendered(result)

Frames need pandas: `pip install tablemill[pandas]`.
"""

from component.errors import Place
from component.workbench.files.arrow_file import ReadTable, read_arrow_file
from component.workbench.files.arrow_writing import write_arrow_file
from component.workbench.files.http_file import HttpFile, fetch_parameters, read_http_file, write_http_file
from component.workbench.frames.pandas_frames import from_frame, to_frame
from component.workbench.frames.process_result import ProcessResult, coerce, process_result, rendered
from component.workbench.render.messages import (
    FetchError,
    Message,
    QuickFix,
    RenderError,
    fetch_error_of,
    message_of,
    render_error_of,
    text_of,
)
from component.workbench.render.rendered import Rendered, RenderStatus
from component.workbench.rules.limits import UNLIMITED, WORKBENCH_2019, WORKBENCH_2021, TableSizes
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import (
    ColumnKind,
    WorkbenchColumn,
    date_column,
    number_column,
    text_column,
    timestamp_column,
)
from component.workbench.tables.date_unit import DateUnit, render_dates
from component.workbench.tables.number_format import render_numbers
from component.workbench.tables.table import WorkbenchTable
from component.workbench.tables.timestamps import render_timestamps

__all__ = [
    "UNLIMITED",
    "WORKBENCH_2019",
    "WORKBENCH_2021",
    "ColumnKind",
    "DateUnit",
    "FetchError",
    "HttpFile",
    "Message",
    "Place",
    "ProcessResult",
    "QuickFix",
    "ReadTable",
    "ReadingMode",
    "RenderError",
    "RenderStatus",
    "Rendered",
    "TableSizes",
    "WorkbenchColumn",
    "WorkbenchTable",
    "coerce",
    "date_column",
    "fetch_error_of",
    "fetch_parameters",
    "from_frame",
    "message_of",
    "number_column",
    "process_result",
    "read_arrow_file",
    "read_http_file",
    "render_dates",
    "render_error_of",
    "render_numbers",
    "render_timestamps",
    "rendered",
    "text_column",
    "text_of",
    "timestamp_column",
    "to_frame",
    "write_arrow_file",
    "write_http_file",
]
