"""Opening of documents, tables and samples, at the last visited page."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from studio.data.samples import Sample
from studio.document import shapes
from studio.document.store import set_log_aside
from studio.errors import ForeignLogError, StudioError
from studio.gui.base import preferences, user_paths
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.helper_client import HelperRequest
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.shell.documents import window_state
from studio.gui.shell.frame.frame import WindowFrame
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.helper.preview import preview
from studio.language import group_digits, tr, translate
from studio.system.files import remove_if_free

_VIEW_KEY = "window.place"


@dataclass(frozen=True)
class StoredView:
    """The viewed page and run."""

    page: str = ""
    run: int | None = None


class DocumentOpener:
    """Opens documents and tables; errors are shown in the window's banner."""

    def __init__(self, frame: WindowFrame) -> None:
        self._frame, self._session = frame, frame.session
        self._preview_request: HelperRequest | None = None

    def open_path(self, path: Path) -> None:
        """Open a document, or a table in a new one; on other files keep the open document."""
        if self._preview_request is not None:
            self._preview_request.cancel()
        # the folder of such files is not a useful default in dialogs
        if not user_paths.is_untitled(path):
            user_paths.set_dialog_folder(str(path))
        try:
            if path.suffix.lower() == user_paths.SUFFIX:
                self.store_view()
                self._session.open(path)
                self._restore_view()
            elif self._is_empty_window:
                self._open_table(path)
            else:
                self._preview_first(path)
        except ForeignLogError as error:
            self._frame.banner.show_message(
                str(error), tr("Open without the log"), partial(self._open_without_log, path)
            )
        except StudioError as error:
            self._frame.banner.show_message(str(error))

    def _open_without_log(self, path: Path) -> None:
        """Open a document with a foreign log, which is kept under another name."""
        with reporting_errors(self._frame.banner.show_message):
            moved_log = set_log_aside(path)
            self.open_path(path)
            if self._session.path == path:
                self._frame.toast.show_message(tr("The log was moved to {path}", path=moved_log))

    def open_dropped(self, paths: Sequence[Path]) -> None:
        """Open the first dropped file."""
        if len(paths) > 1:
            count = group_digits(len(paths))
            self._frame.banner.show_message(
                tr("{count} files were dropped; only the first was opened.", count=count)
            )
        self.open_path(paths[0])

    def open_sample(self, sample: Sample) -> None:
        """Open a sample table in a new document."""
        with reporting_errors(self._frame.banner.show_message):
            self._create_for_table(sample.title)
            self._frame.data.open_file(sample.path, sample.target, sample.title)
            self._frame.show_page("data")

    def open_last(self) -> None:
        """Open the last document, if preferred."""
        path = window_state.get_last_document()
        if preferences.load().reopen and path is not None and not self._session.is_open:
            self.open_path(path)

    def store_view(self) -> None:
        """Store the current page and run in the document."""
        if self._session.is_open and self._frame.page != WELCOME:
            view = asdict(StoredView(self._frame.page, self._session.run_selection.run_id))
            if self._session.read_note(_VIEW_KEY) != view:
                self._session.set_note(_VIEW_KEY, view)

    def _restore_view(self) -> None:
        """Restore the page and run stored in the document, else show its last run's result."""
        view = self._session.read_value(_VIEW_KEY, partial(shapes.pick, StoredView)) or StoredView()
        if view.run in self._session.runs.ids:
            self._session.run_selection.choose_run(view.run)
        is_known_page = view.page in {key for key, *_ in PAGES}
        self._frame.show_page(view.page if is_known_page else self._get_default_page())

    def _get_default_page(self) -> str:
        run = self._session.run_selection.run
        if run is None:
            return "data"
        if run.row.id in self._session.runs.study_runs:
            return "compare"
        return "results" if run.state == "finished" else "live"

    @property
    def _is_empty_window(self) -> bool:
        session = self._session
        return not (session.is_open and (session.runs.views or self._frame.data.has_file))

    def _preview_first(self, path: Path) -> None:
        """Preview the table before the open document is closed."""
        self._frame.toast.show_message(tr("Reading {name}…", name=path.name), is_persistent=True)
        self._preview_request = self._frame.helper.request(
            preview,
            {"table": DataDraft.for_file(path).request(), "quick": True},
            lambda _: self._on_preview(path),
            lambda reason: self._on_preview_error(path, reason),
            channel="look",
        )

    def _on_preview(self, path: Path) -> None:
        self._frame.toast.hide()
        with reporting_errors(self._frame.banner.show_message):
            self._open_table(path)

    def _on_preview_error(self, path: Path, reason: str) -> None:
        self._frame.toast.hide()
        why = translate(reason)
        self._frame.banner.show_message(
            tr("{name} was not opened; the document is unchanged. {why}", name=path.name, why=why)
        )

    def _open_table(self, path: Path) -> None:
        self._create_for_table(path.name.split(".")[0])
        self._frame.data.open_file(path)
        self._frame.show_page("data")

    def _create_for_table(self, name: str) -> None:
        """Create a document for a table, or use the open one if it is empty."""
        previous = self._session.path
        if previous is None or not self._is_empty_window:
            self._session.create(user_paths.find_untitled_path(name))
        elif user_paths.is_unnamed(previous):
            self._name_after_table(previous, user_paths.find_untitled_path(name))

    def _name_after_table(self, previous: Path, path: Path) -> None:
        """Move the open document, with its settings, to a path named after its table."""
        self._session.space.save_now()
        self._session.document.copy_to(path)
        self._session.open(path)
        remove_if_free(previous)
        user_paths.remove_recent(previous)
