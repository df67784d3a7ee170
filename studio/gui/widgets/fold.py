"""Collapsible section for advanced settings, with persistent state."""

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QWidget

from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.widgets import kit
from studio.language import tr


class CollapsibleSection(QWidget):
    """A header line that shows or hides its content."""

    def __init__(
        self,
        key: str,
        title: str,
        tip: str,
        content: QWidget,
        *,
        header_widget: QWidget | None = None,
    ) -> None:
        super().__init__()
        self._key, self._title, self.content = f"folds/{key}", title, content
        self.header_button = kit.Button()
        self.header_button.setProperty("kind", "link")
        self.header_button.setCheckable(True)
        self.header_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.header_button.setToolTip(make_plain_tip(tip))
        self.header_button.setAccessibleName(title)
        line = kit.row(
            self.header_button,
            None if header_widget is None else (header_widget, 1),
            spacing=2 * GRID,
        )
        kit.column(line, content, parent=self)
        # An INI file returns flags as text.
        self.header_button.setChecked(str(QSettings().value(self._key, "false")) == "true")
        self.header_button.toggled.connect(self._on_toggle)
        self._show()

    @property
    def is_open(self) -> bool:
        """Whether the content is shown."""
        return self.header_button.isChecked()

    def set_title(self, title: str) -> None:
        """Set the header's text."""
        self._title = title
        self.header_button.setAccessibleName(title)
        self._show()

    def _on_toggle(self, is_open: bool) -> None:
        QSettings().setValue(self._key, "true" if is_open else "false")
        self._show()

    def _show(self) -> None:
        is_open = self.is_open
        self.content.setVisible(is_open)
        self.header_button.setText(("▾ " if is_open else "▸ ") + self._title)
        self.header_button.setAccessibleDescription(tr("open") if is_open else tr("folded"))
