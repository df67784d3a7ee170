"""What the window says of formats and of an export's outcome, without a window."""

import re
from pathlib import Path
from typing import Any

from studio.export.formats.base import Format
from studio.gui.base.language import grouped, said, tr


def suggested_name(document: Path | None, run_name: str, row: Format) -> str:
    """Return a file name for an export: the document's, the run's and what it is."""
    stem = "ensemble" if document is None else document.stem
    run = re.sub(r"[^\w.-]+", "-", run_name).strip("-.")[:40]
    what = "" if row.suffix in {".pkl", ".skops", ".onnx", ".html"} else f"-{row.key}"
    return f"{stem}-{run}{what}{row.suffix}" if run else f"{stem}{what}{row.suffix}"


def outcome(answer: dict[str, Any]) -> str:
    """Return the outcome of an export, in a few sentences."""
    name = Path(str(answer["path"])).name
    lines = [tr("Wrote {name}.", name=name)]
    if int(answer.get("rows", 0)):
        lines[0] = tr(
            "Done: {name} was verified in a fresh process; {differing} of {rows} predictions "
            "differ.",
            name=name,
            differing=grouped(int(answer["differing"])),
            rows=grouped(int(answer["rows"])),
        )
    elif answer.get("checked"):
        lines.append(said(str(answer["checked"])))
    beside = [Path(str(each)).name for each in answer.get("beside", ())]
    if beside:
        lines.append(tr("Beside it: {names}", names=", ".join(beside)))
    lines += [said(str(note)) for note in answer.get("notes", ())]
    # Long dotted names may be broken after their dots; nothing of it can be seen.
    return re.sub(r"(?<=\w)\.(?=\w)", ".\u200b", "\n".join(lines))
