"""The settings: what the user prefers on this machine. Every change holds at once."""

import os
from collections.abc import Sequence

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QSpinBox,
    QWidget,
)

from studio.gui.base import language, places, preferences, theme
from studio.gui.base.language import tr
from studio.gui.base.preferences import SYSTEM
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.runs.choices import MOST_WORKERS

_WIDTH = 600


class SettingsDialog(QDialog):
    """Fields over the stored preferences; closing it is all that is left to do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.setMinimumWidth(theme.pixels(_WIDTH))
        now = preferences.load()
        self.language = self._choice(
            "language", _languages(), now.language, tr("The language of the window"), tr("Language")
        )
        self.look = self._choice(
            "look",
            ((SYSTEM, tr("As the system")), ("light", tr("Light")), ("dark", tr("Dark"))),
            now.look,
            tr("Light or dark colours; as the system changes during the day, if that is chosen"),
            tr("Look"),
        )
        self.type_size = self._percent(
            "type_scale", now.type_scale, tr("Size of all text"), tr("Size of text")
        )
        self.presentation = self._percent(
            "presentation_scale",
            now.presentation_scale,
            tr("Size of all text in presentation mode (F5)"),
            tr("Size when presenting"),
        )
        self.workers = QSpinBox()
        self.workers.setRange(0, MOST_WORKERS)
        self.workers.setSpecialValueText(
            tr("one a processor core ({count})", count=os.cpu_count() or 1)
        )
        self.workers.setValue(now.workers)
        self._named(
            self.workers,
            tr("Trials at the same time (workers)"),
            tr("How many models a new document's runs try at the same time"),
        )
        self.workers.valueChanged.connect(lambda value: self._keep(workers=value))
        self.folder = kit.ElidedLabel("", "muted")
        self._show_folder()
        self.leaving = self._choice(
            "leaving",
            (
                ("ask", tr("Ask what to do")),
                ("keep", tr("Let them go on")),
                ("pause", tr("Pause them")),
                ("stop", tr("Stop them and keep what they found")),
            ),
            now.leaving,
            tr("What becomes of runs that are going when the window is closed"),
            tr("When closing with runs going"),
        )
        self.reopen = QCheckBox(tr("Open the last document at the start"))
        self.reopen.setChecked(now.reopen)
        self._named(
            self.reopen,
            tr("Open the last document at the start"),
            tr("Otherwise the program starts with the start page"),
        )
        self.reopen.toggled.connect(lambda on: self._keep(reopen=on))
        self._lay_out()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(3 * GRID)
        form.setVerticalSpacing(GRID)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(kit.label(tr("Appearance"), "section"))
        for text, field in (
            (tr("Language"), self.language),
            (tr("Look"), self.look),
            (tr("Size of text"), self.type_size),
            (tr("Size when presenting"), self.presentation),
        ):
            form.addRow(text, field)
        form.addRow(kit.label(tr("Work"), "section"))
        form.addRow(tr("Trials at the same time (workers)"), self.workers)
        choose = kit.button(
            tr("Choose…"),
            self._ask_folder,
            icon="open",
            tip=tr("Choose where new documents are kept"),
            name=tr("Choose the folder of new documents"),
        )
        usual = kit.button(
            tr("Usual place"),
            lambda: self.set_folder(""),
            kind="quiet",
            tip=tr("Keep new documents where the system keeps programs' data"),
        )
        form.addRow(tr("New documents are kept in"), self.folder)
        form.addRow("", kit.row(choose, usual, None))
        form.addRow(self.reopen)
        form.addRow(tr("When closing with runs going"), self.leaving)
        done = kit.button(tr("Close"), self.accept, kind="primary", tip=tr("Every change holds"))
        done.setDefault(True)
        note = kit.label(tr("Every change holds at once."), "small", wrap=True)
        foot = kit.row(note, done, spacing=2 * GRID)
        foot.setStretch(0, 1)
        self.setLayout(
            kit.column(
                kit.label(tr("Settings"), "title"),
                form,
                foot,
                spacing=2 * GRID,
                margin=3 * GRID,
            )
        )

    # ---- fields

    def _choice(
        self, key: str, entries: Sequence[tuple[str, str]], value: str, tip: str, name: str
    ) -> QComboBox:
        made = QComboBox()
        for entry, text in entries:
            made.addItem(text, entry)
        made.setCurrentIndex(max(0, made.findData(value)))
        self._named(made, name, tip)
        made.activated.connect(lambda at: self._keep(**{key: made.itemData(at)}))
        return made

    def _percent(self, key: str, value: float, tip: str, name: str) -> QSpinBox:
        made = QSpinBox()
        made.setRange(round(100 * preferences.SMALLEST_TYPE), round(100 * preferences.LARGEST_TYPE))
        made.setSingleStep(10)
        made.setSuffix(" %")
        made.setKeyboardTracking(False)
        made.setValue(round(100 * value))
        self._named(made, name, tip)
        made.valueChanged.connect(lambda percent: self._keep(**{key: percent / 100}))
        return made

    def _named(self, field: QWidget, name: str, tip: str) -> None:
        if isinstance(field, QSpinBox):
            # The sheet's padding does not reach the line inside a spin box.
            field.lineEdit().setTextMargins(GRID - 2, 0, 0, 0)
        field.setAccessibleName(name)
        field.setToolTip(tip)

    def _keep(self, **values: object) -> None:
        preferences.save(preferences.load().changed(**values))

    # ---- the folder

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(
            self, tr("Where new documents are kept"), str(places.untitled_folder())
        )
        if chosen:
            self.set_folder(chosen)

    def set_folder(self, folder: str) -> None:
        """Keep new documents in a folder from now on; empty for the usual place."""
        if folder and not os.access(folder, os.W_OK):
            self.folder.setText(tr("{folder} cannot be written; choose another.", folder=folder))
            return
        self._keep(folder=folder)
        self._show_folder()

    def _show_folder(self) -> None:
        self.folder.setText(str(places.untitled_folder()))


def _languages() -> list[tuple[str, str]]:
    """Return the languages that ship, each named in itself."""
    named = [
        (code, QLocale(code).nativeLanguageName().capitalize() if code != "en" else "English")
        for code in language.available()
    ]
    return [(SYSTEM, tr("As the system")), *named]
