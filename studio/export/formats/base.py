"""What every format offers.

The window and the command line list the formats at every start, so a format's file imports what
writes it only when it writes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from studio.errors import ExportError
from studio.export.progress import OnProgress, Stopped, never, silent
from studio.extras import install_command, libraries
from studio.phrases import phrase

if TYPE_CHECKING:
    from studio.document.store import Document
    from studio.export.estimator import Trained


@dataclass(frozen=True)
class Job:
    """One export.

    Attributes
    ----------
    document : Document
        Open for reading at least.
    run_id : int
        The run to take home.
    path : Path
        The file to write; what belongs to it goes beside it, under names that start alike.
    progress, stopped : callable
        Called with how far it is; asked whether to give up.
    trial : int or None
        The trial to take alone; ``None`` for the run's ensemble.
    """

    document: "Document"
    run_id: int
    path: Path
    progress: OnProgress = silent
    stopped: Stopped = never
    trial: int | None = None

    def trained(self) -> "Trained":
        """Train the run's ensemble, or the trial."""
        from studio.export.estimator import train

        return train(
            self.document, self.run_id, self.stopped, progress=self.progress, trial=self.trial
        )

    def beside(self, ending: str) -> Path:
        """Return the name of a file that belongs to the one that is written."""
        return self.path.with_name(self.path.stem + ending)


@dataclass(frozen=True)
class Written:
    """The result of an export.

    Attributes
    ----------
    path : Path
        The file.
    beside : tuple of Path
        Files that were written beside it.
    rows, differing : int
        On how many rows it was compared with this process' own predictions, and how many differ.
    checked : str
        What the check found, in a sentence; empty where there is nothing to check.
    notes : tuple of str
        What to know, in sentences.
    example : str
        Python that uses the file; empty where there is none.
    details : Mapping
        More for programs: JSON values by name.
    """

    path: Path
    beside: tuple[Path, ...] = ()
    rows: int = 0
    differing: int = 0
    checked: str = ""
    notes: tuple[str, ...] = ()
    example: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {
            **self.details,
            "path": str(self.path),
            "beside": [str(each) for each in self.beside],
            "rows": self.rows,
            "differing": self.differing,
            "checked": self.checked,
            "notes": list(self.notes),
            "example": self.example,
        }


class Format(ABC):
    """Base of all formats.

    Attributes
    ----------
    key : str
        Its name on the command line.
    title : str
        Its name for people.
    summary : str
        One plain sentence: what it is good for.
    also : str
        Everyday words by which people look for it.
    suffix : str
        How its files' names end, with the dot.
    kind : {"model", "document"}
        Whether the ensemble is trained and checked, or something is written down.
    extra : str
        The optional extra of the distribution that it needs; empty for none.
    modules : tuple of str
        What that extra brings.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    also: ClassVar[str] = ""
    suffix: ClassVar[str]
    kind: ClassVar[str] = "model"
    extra: ClassVar[str] = ""
    modules: ClassVar[tuple[str, ...]] = ()

    @property
    def lacking(self) -> str:
        """What has to be installed first, in a sentence; empty where nothing has to be."""
        if all(find_spec(module) is not None for module in self.modules):
            return ""
        return phrase(
            "Needs what is not installed: {libraries}.", libraries=", ".join(libraries(self.extra))
        )

    @property
    def install(self) -> str:
        """The command that installs what it needs besides the program, fit for a terminal."""
        return install_command(self.extra)

    def export(self, job: Job) -> Written:
        """Write the file.

        Raises
        ------
        ExportError
            If it cannot be written in this format; the reason is in the message.
        StoppedError
            If the job was stopped; nothing was written then.
        """
        if self.lacking:
            raise ExportError(
                "{title} cannot be written here. {lacking} Install it with: {command}",
                title=phrase(self.title),
                lacking=self.lacking,
                command=self.install,
            )
        if job.trial is not None and self.kind != "model":
            raise ExportError(
                "{title} is for the whole run, not for a trial. Leave the trial out.",
                title=phrase(self.title),
            )
        return self.write(job)

    @abstractmethod
    def write(self, job: Job) -> Written:
        """Write the file, with everything that it needs installed."""
