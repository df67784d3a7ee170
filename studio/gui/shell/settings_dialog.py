"""Settings dialog: the user's preferences, applied immediately."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QLocale, QObject, QSize, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFileDialog, QFormLayout, QWidget

from studio import language
from studio.gui.base import preferences, theme, user_paths
from studio.gui.base.preferences import SYSTEM, Preferences
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.widgets import kit
from studio.gui.widgets.flow import TITLE_BAR_HEIGHT, move_onto_screen
from studio.gui.widgets.setting_fields import ValidatedLineEdit
from studio.language import tr
from studio.setting import Setting, iter_settings
from studio.system.available_resources import count_cores
from studio.system.files import is_writable_folder

_WIDTH = 600


class SettingsDialog(QDialog):
    """Form over the stored preferences, with a single Close button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.setMinimumWidth(theme.pixels(_WIDTH))
        current = preferences.load()
        self.fields: dict[str, QWidget] = {}
        self.folder_label = kit.ElidedLabel("", "muted")
        self._show_folder()
        self._build_form(current)
        self._scale = theme.scale()
        theme.get_notifier().changed.connect(self._on_theme_change)

    def _build_form(self, current: Preferences) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(3 * GRID)
        form.setVerticalSpacing(GRID)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(kit.label(tr("Appearance"), "section"))
        self._add_rows(form, "appearance", current)
        form.addRow(kit.label(tr("Work"), "section"))
        self._add_rows(form, "work", current)
        self.choose = choose_button = kit.button(
            tr("Choose…"),
            self._choose_folder,
            icon="open",
            tip=tr("Choose the folder for new documents"),
            name=tr("Choose the folder for new documents"),
        )
        tip = tr("Save new documents in the system's folder for program data")
        default_button = kit.button(
            tr("Default folder"), lambda: self.set_folder(""), kind="quiet", tip=tip
        )
        form.addRow(tr("Folder for new documents"), self.folder_label)
        form.addRow("", kit.row(choose_button, default_button, None))
        self._add_rows(form, "document", current)
        close_button = kit.button(
            tr("Close"), self.accept, kind="primary", tip=tr("Changes take effect immediately")
        )
        close_button.setDefault(True)
        note = kit.label(tr("Changes take effect immediately."), "small", wrap=True)
        footer = kit.row(note, close_button, spacing=2 * GRID)
        footer.setStretch(0, 1)
        content = QWidget()
        self._content = kit.column(form, parent=content, margin=(0, 0, GRID, 0))
        self._area = kit.scroll_area(content, reserves_bar=False)
        self._layout = kit.column(
            kit.label(tr("Settings"), "title"),
            (self._area, 1),
            footer,
            parent=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_to_screen()

    def _on_theme_change(self) -> None:
        """Fit the dialog to another size of type, once its fields and buttons have theirs."""
        if self._scale != theme.scale():  # other colours keep the size that the user gave it
            self._scale = theme.scale()
            if self.isVisible():
                QTimer.singleShot(0, self, self._fit_to_screen)

    def _fit_to_screen(self) -> None:
        """Fit the dialog to its screen: excess content is scrolled, and Close stays visible."""
        self.fit(self.screen().availableGeometry().size())
        move_onto_screen(self)

    def fit(self, available: QSize) -> None:
        """Size the dialog to its content, within ``available`` less the window's frame (pixels)."""
        width = min(theme.pixels(_WIDTH), available.width() - 2 * GRID)
        self.setMinimumWidth(width)
        width = max(width, min(self.sizeHint().width(), available.width() - 2 * GRID))
        margins = self._layout.sizeHint().height() - self._area.sizeHint().height()
        needed = self._content.totalHeightForWidth(width - 2 * 3 * GRID)  # -1: as at any width
        if needed < 0:
            needed = self._content.sizeHint().height()
        self.resize(
            width, min(margins + needed, available.height() - theme.pixels(TITLE_BAR_HEIGHT))
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the wheel scroll the dialog, instead of changing the setting under the pointer."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def reveal(self, name: str) -> QWidget:
        """Return the field of a preference."""
        return self.fields.get(name, self.choose)

    # ---- fields

    def _add_rows(self, form: QFormLayout, group: str, current: Preferences) -> None:
        """Add the fields of declared preferences, each with its name as a label or in the field."""
        for each in iter_settings(Preferences):
            if each.group == group:
                field = self.fields[each.name] = self._make_field(each, getattr(current, each.name))
                field.setAccessibleName(tr(each.title))
                field.setToolTip(make_plain_tip(tr(each.help)))
                field.installEventFilter(self)
                form.addRow(*([field] if isinstance(field, QCheckBox) else [tr(each.title), field]))

    def _make_field(self, setting: Setting, value: Any) -> QWidget:
        name = setting.name
        if setting.pattern:
            line = ValidatedLineEdit(
                tr(setting.empty),
                lambda text: self._save_preferences(**{name: text}),
                setting.find_problem,
            )
            line.show_value(value)
            return line
        if setting.kind is str:
            labels = [tr(each) for each in setting.words]
            options = list(zip(setting.choices, labels, strict=True)) or _list_languages()
            box = QComboBox()
            for entry, text in options:
                box.addItem(text, entry)
            box.setCurrentIndex(max(0, box.findData(value)))
            box.activated.connect(lambda at: self._save_preferences(**{name: box.itemData(at)}))
            return box
        if setting.kind is bool:
            tick = QCheckBox(tr(setting.title))
            tick.setChecked(value)
            tick.toggled.connect(lambda enabled: self._save_preferences(**{name: enabled}))
            return tick
        # A factor is shown in percent.
        unit = 100 if setting.kind is float else 1
        field = kit.make_spin_box()
        field.setRange(round(unit * (setting.low or 0)), round(unit * (setting.high or 0)))
        field.setSpecialValueText(tr(setting.empty, count=count_cores()))
        if setting.kind is float:
            field.setSingleStep(10)
            field.setSuffix(" %")
            field.setKeyboardTracking(False)
        field.setValue(round(unit * value))
        field.valueChanged.connect(
            lambda number: self._save_preferences(**{name: setting.kind(number / unit)})
        )
        return field

    def _save_preferences(self, **values: object) -> None:
        preferences.save(preferences.load().with_changes(**values))

    # ---- the folder

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self, tr("Folder for new documents"), str(user_paths.ensure_untitled_folder())
        )
        if folder:
            self.set_folder(folder)

    def set_folder(self, folder: str) -> None:
        """Set the folder of new documents; empty for the default."""
        if folder and not is_writable_folder(Path(folder)):
            self.folder_label.setText(
                tr("{folder} is not writable; choose another.", folder=folder)
            )
            return
        self._save_preferences(folder=folder)
        self._show_folder()

    def _show_folder(self) -> None:
        self.folder_label.setText(str(user_paths.ensure_untitled_folder()))


def _list_languages() -> list[tuple[str, str]]:
    languages = [
        (code, QLocale(code).nativeLanguageName().capitalize() if code != "en" else "English")
        for code in language.list_languages()
    ]
    return [(SYSTEM, tr("Same as the system")), *languages]
