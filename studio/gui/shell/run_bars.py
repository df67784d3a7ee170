"""Connections of top bar, rail, strip and slider to runs and their actions."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMenu

from studio.document.runs import RequestKind
from studio.figures.ink import get_run_ink
from studio.gui.base.command import append_shortcut
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.session.wording import describe_state, format_chip_loss
from studio.gui.shell.frame.frame import WindowFrame
from studio.language import tr, translate
from studio.measure import UNKNOWN_TEXT

_UPDATE_MS = 1000
"""Interval for updating the remaining time, as a long trial reports no progress."""


class RunBars(QObject):
    """Updates top bar, rail, strip and slider from the session, and handles their requests."""

    def __init__(self, frame: WindowFrame, show_result: Callable[[], None]) -> None:
        super().__init__(frame)
        self._frame = frame
        self._open_result = show_result
        self._session, self._starter = frame.session, frame.starter
        self._is_fork_waiting = False
        self._connect_requests()
        self._connect_session()
        self.update_timer = QTimer(self, interval=_UPDATE_MS)
        self.update_timer.timeout.connect(self._show_time_left)
        self.update_timer.start()

    def _connect_requests(self) -> None:
        frame, selection = self._frame, self._session.run_selection
        frame.top_bar.run_pressed.connect(self._starter.start)
        frame.top_bar.pause_pressed.connect(lambda: self._send_request("pause"))
        frame.top_bar.continue_pressed.connect(lambda: self._send_request("continue"))
        frame.top_bar.stop_pressed.connect(self._stop_run)
        frame.top_bar.chosen_run_button.clicked.connect(lambda _=False: self._show_runs())
        frame.strip.run_chosen.connect(selection.choose_run)
        frame.strip.overlay_requested.connect(selection.overlay)
        frame.slider.iteration_chosen.connect(selection.choose_iteration)
        frame.slider.fork_requested.connect(self._request_fork)
        frame.run.catalogue_loaded.connect(self._on_catalogue)
        frame.run.failed.connect(self._forget_fork)
        frame.slider.recording_pressed.connect(self._play_recording)
        frame.slider.recording_speed_chosen.connect(self._set_recording_speed)

    def _connect_session(self) -> None:
        runs, selection = self._session.runs, self._session.run_selection
        runs.changed.connect(self.show)
        runs.state_changed.connect(self._show_run_end)
        runs.trials_added.connect(lambda _: self.show())
        selection.run_chosen.connect(lambda _: self.show())
        selection.iteration_chosen.connect(lambda _: self.show())
        selection.overlay_changed.connect(self.show)
        self._session.following.playback_changed.connect(self._show_recording)
        self._session.document_changed.connect(self._show_recording)
        self._frame.page_shown.connect(self._show_top)
        self._starter.busy_changed.connect(self._on_starting)
        self._starter.readiness_changed.connect(self.show_can_run)

    def show(self) -> None:
        """Show the current state of the runs."""
        frame, selection = self._frame, self._session.run_selection
        self._show_strip()
        self._show_top()
        frame.slider.show_run(selection.run, selection.iteration, last=selection.last)
        frame.rail.set_live(bool(self._session.runs.in_progress))
        frame.show_bottom()

    def _show_recording(self) -> None:
        self._frame.slider.show_recording(self._session.following.playback)

    def _play_recording(self) -> None:
        """Pause or resume the recording; play it again if it is over."""
        playback = self._session.following.playback
        if playback is None:
            return
        if playback.is_finished:
            self._session.play()
        else:
            self._session.following.set_paused(not playback.paused)

    def _set_recording_speed(self, factor: float) -> None:
        playback = self._session.following.playback
        if playback is not None:
            playback.speed = factor
            self._show_recording()

    def _show_top(self) -> None:
        is_playback = self._session.following.playback is not None
        selection = self._session.run_selection
        has_several = len(selection.listed_runs) > 1
        ink = get_run_ink(selection.run.row.id) if has_several and selection.run else None
        self._frame.top_bar.chosen_run_button.swatch.show_ink(ink)
        is_study_cell = (
            selection.run is not None and selection.run.row.id in self._session.runs.study_runs
        )
        # The Results page shows the end of the run, whichever iteration the plots show.
        iteration = None if self._frame.page == "results" else selection.iteration
        self._frame.top_bar.show_run(
            selection.run, iteration, played=is_playback, in_study=is_study_cell
        )

    def _show_strip(self) -> None:
        frame, selection = self._frame, self._session.run_selection
        views = selection.listed_runs
        overlaid = [view.row.id for view in selection.overlaid_runs]
        metrics = frame.run.get_distinct_metric_names(views)
        data = self._session.run_data
        units = {view.row.id: data.get_loss_unit(view) for view in views}
        differences = {
            view.row.id: data.describe_differences(view, selection.run) for view in views
        }
        frame.strip.show_runs(
            views,
            selection.run_id,
            units,
            overlaid,
            metrics=metrics,
            differences=differences,
            iterations={
                view.row.id: selection.get_iteration(view)
                for view in views
                if view.row.id in {selection.run_id, *overlaid}
            },
        )

    def _show_run_end(self, run_id: int, left: str) -> None:
        """Show that a run has finished, with a link over the page, unless that is visible."""
        frame, selection = self._frame, self._session.run_selection
        view = self._session.runs.get_view(run_id)
        is_visible = frame.page in {"live", "results"} and selection.run_id == run_id
        is_study_cell = run_id in self._session.runs.study_runs  # a study has many runs
        is_playback = self._session.following.playback is not None
        if (
            left != "running"
            or view.state != "finished"
            or is_visible
            or is_study_cell
            or is_playback
        ):
            return
        unit = self._session.run_data.get_loss_unit(view)
        text = tr(
            "“{name}” has finished. {metric}: {error}.",
            name=view.name,
            metric=translate(frame.run.get_title(view.metric)),
            error=format_chip_loss(view, unit) or UNKNOWN_TEXT,
        )
        frame.toast.show_message(
            text, tr("See the result"), lambda: self._show_result(run_id), waits_for_input=True
        )

    def _show_result(self, run_id: int) -> None:
        self._session.run_selection.choose_run(run_id)
        self._open_result()

    def _show_runs(self) -> None:
        """Open the only run, or a menu of several; without a run, the page that starts one."""
        n_runs = len(self._session.run_selection.listed_runs)
        if n_runs < 2:
            self._frame.show_page("live" if n_runs else "run")
        else:
            chip = self._frame.top_bar.chosen_run_button
            self.make_runs_menu().popup(chip.mapToGlobal(chip.rect().bottomLeft()))

    def make_runs_menu(self) -> QMenu:
        """Return a menu of the runs, the newest first, which is deleted on closing."""
        selection = self._session.run_selection
        menu = QMenu(self._frame)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Watch the run"), lambda: self._frame.show_page("live"))
        menu.addSeparator()
        for view in reversed(selection.listed_runs):
            name = view.name
            text = tr("{name}: {state}", name=name, state=describe_state(view))
            action = menu.addAction(escape_mnemonics(text))
            action.setCheckable(True)
            action.setChecked(view.row.id == selection.run_id)
            action.triggered.connect(lambda _=False, run=view.row.id: selection.choose_run(run))
        return menu

    def _show_time_left(self) -> None:
        if self._session.runs.in_progress:
            for view in self._session.runs.in_progress:
                # Also measured for background runs, so that lists can show it at once.
                self._frame.top_bar.speed_meter.estimate_speed(view)
            self._show_strip()
            self._show_top()

    def show_can_run(self) -> None:
        """Enable Run, or show the blocking reason."""
        reason = self._starter.get_blocking_problem()
        ready = append_shortcut(tr("Start a run with these settings"), "Ctrl+Return")
        # Not while a run is being started: the focus would move to Pause, and the next Space would
        # press it.
        can_run = not reason or self._starter.is_busy
        self._frame.top_bar.set_can_run(can_run, reason or ready)

    def _on_starting(self, text: str) -> None:
        self._frame.top_bar.set_busy(text)
        self.show()
        self.show_can_run()

    def _send_request(self, request: RequestKind) -> None:
        if self._session.run_selection.run_id is not None:
            self._session.control.send_request(self._session.run_selection.run_id, request)

    def _stop_run(self) -> None:
        if self._starter.is_busy:
            self._starter.cancel()
        else:
            self._send_request("stop")

    def _request_fork(self) -> None:
        """Fork the chosen run once the methods are known: they are loaded on first use."""
        if self._frame.run.presets:
            self._fork_run()
        else:
            self._is_fork_waiting = True
            self._frame.toast.show_message(tr("Loading the methods…"))
            self._frame.run.request_catalogue()

    def _forget_fork(self) -> None:
        self._is_fork_waiting = False

    def _on_catalogue(self) -> None:
        if self._is_fork_waiting:
            self._is_fork_waiting = False
            self._frame.toast.dismiss()
            self._fork_run()

    def _fork_run(self) -> None:
        """Ask how to fork the chosen run from the shown iteration, and start the fork."""
        view, presets = self._session.run_selection.run, self._frame.run.presets
        if view is not None:
            from studio.gui.pages.run.runs.fork_dialog import open_fork_dialog

            n_iterations = len(view.iterations)
            iteration = min(self._session.run_selection.iteration or n_iterations, n_iterations)
            open_fork_dialog(view, iteration, presets, self._starter, self._frame)
