"""Interface of export formats.

The window and the command line list the formats at every start, so formats import their libraries
only for writing.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from studio.errors import ExportError
from studio.export.progress import SILENT_REPORTER, ProgressReporter, StopCheck, never_cancel
from studio.extras import list_libraries, make_install_command
from studio.phrases import phrase
from studio.system.files import path_exists

if TYPE_CHECKING:
    from studio.document.store import Document
    from studio.export.estimator import TrainedEnsemble


MODEL_COMPANIONS = (".json", ".example.py")
"""Suffixes of a model's description, and of its example."""


KNOWN_SUFFIXES = frozenset(
    {
        *(".csv", ".tsv", ".xls", ".xlsx", ".ods", ".parquet", ".json", ".xml", ".yaml", ".yml"),
        *(".htm", ".html", ".pdf", ".doc", ".docx", ".odt", ".rtf", ".md", ".tex", ".pptx"),
        *(".pkl", ".pickle", ".skops", ".onnx", ".py", ".zip", ".gz"),
        *(".png", ".jpg", ".jpeg", ".svg"),
    }
)
"""Suffixes by which users and systems recognise a file type."""


def get_companions(path: Path, ending: str) -> Path:
    """Return the path of a companion file: the full name with a suffix."""
    return path.with_name(path.name + ending)


@dataclass(frozen=True)
class ExportJob:
    """One export.

    Attributes:
        path: Companion files are written to the same folder (:func:`get_companions`).
        progress, stopped: The receiver of progress; polled for cancellation.
        trial: A single trial; ``None`` for the run's ensemble.
        replace: Whether companion files may replace existing files even if the file itself replaces
            none.
    """

    document: "Document"
    run_id: int
    path: Path
    progress: ProgressReporter = SILENT_REPORTER
    stopped: StopCheck = never_cancel
    trial: int | None = None
    replace: bool = False

    def train(self) -> "TrainedEnsemble":
        """Train the run's ensemble, or the trial."""
        from studio.export.estimator import train

        return train(
            self.document, self.run_id, self.stopped, progress=self.progress, trial=self.trial
        )


@dataclass(frozen=True)
class ExportResult:
    """The result of an export.

    Attributes:
        rows: Number of rows whose predictions are equal in a fresh process.
        details: Further JSON values for programs, by name.
    """

    path: Path
    companion_files: tuple[Path, ...] = ()
    rows: int = 0
    checked: str = ""
    notes: tuple[str, ...] = ()
    example: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Serialise to plain JSON."""
        return {
            **self.details,
            "path": str(self.path),
            "beside": [str(each) for each in self.companion_files],
            "rows": self.rows,
            "checked": self.checked,
            "notes": list(self.notes),
            "example": self.example,
        }


class ExportFormat(ABC):
    """Base of all formats.

    Attributes:
        key: Its name on the command line.
        summary: Its purpose, in a plain sentence.
        search_terms: Everyday words for searching.
        suffix: The suffix of its files, with the dot.
        aliases: Alternative suffixes of such files.
        kind: Whether the ensemble is trained and checked, or existing content is written.
        extra: The required optional extra of this distribution; empty for none.
        modules: The modules of that extra.
        companion_suffixes: Suffixes that companion files append to the file's name.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    search_terms: ClassVar[str] = ""
    suffix: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "model"
    extra: ClassVar[str] = ""
    modules: ClassVar[tuple[str, ...]] = ()
    companion_suffixes: ClassVar[tuple[str, ...]] = ()

    def list_companion_files(self, path: Path) -> tuple[Path, ...]:
        """Return the companion files of an export, whose unique names contain its full name."""
        return tuple(get_companions(path, ending) for ending in self.companion_suffixes)

    @property
    def missing_dependency(self) -> str:
        """The missing dependency in a sentence; empty for none."""
        if all(find_spec(module) is not None for module in self.modules):
            return ""
        return phrase(
            "Requires libraries that are not installed: {libraries}.",
            libraries=", ".join(list_libraries(self.extra)),
        )

    @property
    def install(self) -> str:
        """The shell command that installs its dependencies."""
        return make_install_command(self.extra)

    def export(self, job: ExportJob) -> ExportResult:
        """Write the file.

        Raises:
            ExportError: If it cannot be written in this format, its suffix belongs to another file
                type, or a companion file exists without permission to replace it; the message
                contains the reason.
            StoppedError: If the job was stopped; nothing is then written.
        """
        if self.missing_dependency:
            raise ExportError(
                "{title} cannot be written here. {lacking} Install it with: {command}",
                title=phrase(self.title),
                lacking=self.missing_dependency,
                command=self.install,
            )
        if job.trial is not None and self.kind != "model":
            raise ExportError(
                "{title} is for the whole run, not for a trial. Leave the trial out.",
                title=phrase(self.title),
            )
        suffix = job.path.suffix.lower()
        if suffix in KNOWN_SUFFIXES - {self.suffix, *self.aliases}:
            raise ExportError(
                "{name} ends in {ending}, but this format is written as {suffix} ({title}). Choose "
                "a name that ends in {suffix}.",
                name=job.path.name,
                ending=suffix,
                title=phrase(self.title),
                suffix=self.suffix,
            )
        existing = [each for each in self.list_companion_files(job.path) if path_exists(each)]
        if existing and not (job.replace or path_exists(job.path)):
            raise ExportError(
                "{name} already exists, and would be replaced by a companion file of {path}. "
                "Choose another name, or allow it with --replace.",
                name=existing[0],
                path=job.path.name,
            )
        return self.write(job)

    @abstractmethod
    def write(self, job: ExportJob) -> ExportResult:
        """Write the file; all dependencies are installed."""
