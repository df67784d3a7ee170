"""Command palette: search of all commands by words and initials."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.command import Command
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.shell.commands.command_registry import get_action_log
from studio.gui.widgets import kit
from studio.language import N_, tr


@lru_cache(1 << 15)  # the same texts, as many as columns, are searched on each key press
def fold_accents(text: str) -> str:
    """Convert a text to lower case without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in letters if not unicodedata.combining(each))


MAX_RESULTS = 60
"""Maximum number of lines; further letters narrow them down."""


def find(
    query: str, commands: Iterable[Command], recent_names: Sequence[str] = ()
) -> list[Command]:
    """Return available and listed commands that match a text; recent ones first among equals.

    If no command matches all words, those that match most words are returned.
    """
    recency = {key: rank for rank, key in enumerate(recent_names)}
    words = _select_search_words(query)
    candidates = [
        each for each in commands if each.is_available() or (each.is_always_listed and words)
    ]
    scored = [(_score_command(query, words, each), each) for each in candidates]
    matches = [(score, each) for score, each in scored if score is not None]
    if not matches and len(words) > 1:
        scores = ((_score_some_words(words, each), each) for each in candidates)
        matches = [(score, each) for score, each in scores if score]
    has_query = bool(query.strip())
    matches.sort(
        key=lambda each: (each[0] if has_query else 0.0, recency.get(each[1].key, -1)), reverse=True
    )
    # After words and initials, matches within words would be noise.
    clear_matches = [each for each in matches if each[0] > 0]
    return [command for _, command in (clear_matches or matches)[:MAX_RESULTS]]


_STOP_WORDS = N_(
    "a all an and are can could do does for how i in is it make me my number of one set somebody "
    "someone that the there this to we what where which will with you your"
)

_MAX_PLURAL_SUFFIX = 2
"""Maximum length of a plural's ending."""

_WORD_MATCH_BONUS, _INITIALS_BONUS = 1000.0, 500.0
"""Words and their prefixes rank first, then initials; letters within words earn no bonus."""

_MIN_INNER_LETTERS = 3
"""Minimum number of letters that may be within a word."""


def _select_search_words(query: str) -> list[str]:
    """Return the relevant words of a search, or all if there are none."""
    words, stop_words = _split_words(query), fold_accents(tr(_STOP_WORDS)).split()
    return [word for word in words if word not in stop_words] or list(words)


def _score_command(query: str, words: Sequence[str], command: Command) -> float | None:
    """Return how well a command matches a query, the higher the better; ``None``: not at all."""
    penalty = 0.01 * len(command.title)
    scores = [_score_word(word, command) for word in words]
    if not scores:
        return None if query.strip() else -penalty
    if all(scores):
        return _WORD_MATCH_BONUS + sum(scores) / len(scores) - penalty
    letters = query.strip()
    in_group = not command.is_help and _are_initials(letters, f"{command.group} {command.title}")
    if in_group or _are_initials(letters, command.title):
        return _INITIALS_BONUS - penalty
    title = fold_accents(command.title)
    is_inside = all(len(word) >= _MIN_INNER_LETTERS and word in title for word in words)
    return -penalty if is_inside else None


def _score_some_words(words: Sequence[str], command: Command) -> float:
    """Return the score of some words of a search, of at least three letters; 0 without any."""
    long_words = (each for each in words if len(each) >= _MIN_INNER_LETTERS)
    scores = [score for each in long_words if (score := _score_word(each, command))]
    if not scores:
        return 0.0
    return _WORD_MATCH_BONUS * len(scores) + sum(scores) - 0.01 * len(command.title)


def _are_initials(letters: str, text: str) -> bool:
    """Return whether letters begin words of a text, in order: "gl" in "Go to Live"."""
    folded_letters = fold_accents(letters)
    if len(folded_letters) < 2 or not folded_letters.isalnum():
        return False
    initials = (each[0] for each in re.findall(r"[^\W_]+", fold_accents(text)))
    return all(letter in initials for letter in folded_letters)


def _score_word(word: str, command: Command) -> float:
    """Return a word's score for a command; 0 if it does not match."""
    title_score = 15.0 if command.is_help else 30.0
    fields = (
        (command.title, title_score, 1.5),
        (command.search_terms, 28.0, 0.5),
        (command.group, 5.0, 0.1),
    )
    scores = [
        full_score - position_penalty * position - _compute_mismatch_penalty(word, each)
        for text, full_score, position_penalty in fields
        for position, each in enumerate(_split_words(text))
        if each.startswith(word)
    ]
    return max((each for each in scores if each > 0), default=0.0)


def _compute_mismatch_penalty(word: str, longer_word: str) -> float:
    """Return the penalty of a word that is only a prefix of another; minimal for its plural."""
    n_extra = len(longer_word) - len(word)
    return 0.0 if not n_extra else 1.0 if n_extra <= _MAX_PLURAL_SUFFIX else 6.0


@lru_cache(1 << 15)
def _split_words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+(?:[-+.][^\W_]+)*", fold_accents(text)))


_WIDTH, _ROW, _ROWS = 640, 36, 10

Index = QModelIndex | QPersistentModelIndex


class _ResultModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.commands: list[Command] = []

    def show(self, commands: list[Command]) -> None:
        self.beginResetModel()
        self.commands = commands
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.commands)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        command = self.commands[index.row()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return f"{command.title} – {command.group}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return make_plain_tip(command.tip or command.title)
        return None


class _ResultDelegate(QStyledItemDelegate):
    """Draws a found command: title, group, and shortcut."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, theme.pixels(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, _ResultModel)
        command, tokens = model.commands[index.row()], theme.current()
        area: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(tokens.accent_soft))
            painter.drawRoundedRect(area.adjusted(4, 1, -4, -1), theme.CONTROL, theme.CONTROL)
        content = area.adjusted(2 * GRID, 0, -2 * GRID, 0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        small = theme.font(theme.SMALL)
        is_available = command.is_available()
        blocking_reason = "" if is_available else command.tip
        parts = (blocking_reason or command.group, command.keys_text)
        right_text = "   ".join(filter(None, parts))
        painter.setFont(small)
        painter.setPen(theme.colour(tokens.muted))
        painter.drawText(content, right, right_text)
        title_width = content.width() - QFontMetrics(small).horizontalAdvance(right_text) - 2 * GRID
        painter.setFont(theme.font(theme.BODY))
        painter.setPen(theme.colour(tokens.text if is_available else tokens.muted))
        elided = Qt.TextElideMode.ElideRight
        title = painter.fontMetrics().elidedText(command.title, elided, title_width)
        painter.drawText(content, Qt.AlignmentFlag.AlignVCenter, title)


_FULL_SCREEN_COMMANDS = ("view.theme",)
"""Commands whose effect is seen in a full-screen plot."""


class CommandPalette(QFrame):
    """A search field and a list of all commands over the window, or its full-screen plot."""

    def __init__(self, window: QWidget, everything: Callable[[], Iterable[Command]]) -> None:
        super().__init__(window)
        self.setProperty("role", "palette")
        self._window = self._current_host = window
        self._list_commands = everything
        self._commands: list[Command] = []
        self._previous_focus: QWidget | None = None
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Type what you want to do, or where to go"))
        self.field.setAccessibleName(tr("Find a command"))
        self.field.setToolTip(tr("A few letters are enough; Up and Down choose, Enter runs it"))
        self.field.setClearButtonEnabled(False)
        self.list = QListView()
        self.list.setAccessibleName(tr("Search results"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self._lines = _ResultModel(self)
        self.list.setModel(self._lines)
        self.list.setItemDelegate(_ResultDelegate(self.list))
        text = tr("Nothing found. Try another word: pages, buttons, columns, plots, methods, help.")
        self.empty_label = kit.label(text, "muted", wrap=True)
        self.empty_label.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        kit.column(self.field, (self.list, 1), self.empty_label, parent=self, margin=GRID)
        self.field.textChanged.connect(self._update_results)
        self.field.installEventFilter(self)
        self.list.clicked.connect(lambda _: self._run_current())
        window.installEventFilter(self)
        self.hide()

    @property
    def listed_commands(self) -> list[Command]:
        """The listed commands."""
        return self._lines.commands

    def open(self) -> None:
        """Show the palette with all commands, or close it if it is open."""
        if self.isVisible():
            self.close_palette()
            return
        self._move_to(self._find_host())
        self._previous_focus = self._current_host.focusWidget()
        self._commands = list(self._list_commands())
        self.field.clear()
        self._update_results("")
        self._update_geometry()
        self.show()
        self.raise_()
        self.field.setFocus()

    def _find_host(self) -> QWidget:
        """Return the active full-screen window in front of the palette's window, or the latter."""
        active = QApplication.activeWindow()
        ancestor = active
        while ancestor is not None and ancestor is not self._window:
            ancestor = ancestor.parentWidget()
        return active if active and ancestor and active.isFullScreen() else self._window

    def _move_to(self, host: QWidget) -> None:
        if host is not self._current_host:
            if self._current_host is not self._window:
                self._current_host.removeEventFilter(self)
            if host is not self._window:
                host.installEventFilter(self)
            self._current_host = host
            self.setParent(host)

    def close_palette(self) -> None:
        """Hide the palette and restore the focus."""
        self.hide()
        if self._previous_focus is not None:
            self._previous_focus.setFocus()
            self._previous_focus = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list by the field's keys; follow the window's size; close on focus loss."""
        kind = event.type()
        if watched is self.field:
            if isinstance(event, QKeyEvent) and kind is QEvent.Type.ShortcutOverride:
                event.accept()  # while presenting, the page handles the keys
                return True
            if isinstance(event, QKeyEvent) and kind is QEvent.Type.KeyPress:
                return self._handle_key(Qt.Key(event.key()))
            if kind is QEvent.Type.FocusOut and self.isVisible():
                self._previous_focus = None
                QTimer.singleShot(0, self.hide)
        elif kind is QEvent.Type.Close and watched is not self._window:
            self._previous_focus = None
            self._move_to(self._window)  # also hides it
        elif kind is QEvent.Type.Resize and self.isVisible():
            self._update_geometry()
        return super().eventFilter(watched, event)

    def _handle_key(self, key: Qt.Key) -> bool:
        keys = Qt.Key
        steps = {keys.Key_Down: 1, keys.Key_Up: -1}
        steps |= {keys.Key_PageDown: _ROWS, keys.Key_PageUp: -_ROWS}
        if key in steps:
            last = len(self._lines.commands) - 1
            row = self.list.currentIndex().row() + steps[key]
            if abs(steps[key]) == 1:  # wrap around at the ends
                row = row % (last + 1) if last >= 0 else 0
            self.list.setCurrentIndex(self._lines.index(min(max(row, 0), max(last, 0))))
        elif key in {keys.Key_Return, keys.Key_Enter}:
            self._run_current()
        elif key is keys.Key_Escape:
            self.close_palette()
        else:
            return False
        return True

    def _run_current(self) -> None:
        row = self.list.currentIndex().row()
        if 0 <= row < len(self._lines.commands):
            command = self._lines.commands[row]
            if not command.is_available():
                return
            self.close_palette()
            if self._current_host is not self._window and command.key not in _FULL_SCREEN_COMMANDS:
                self._current_host.close()  # it would cover the command's effect
            if command.is_available():
                get_action_log().record_action(command.key)
                command.run()

    def _update_results(self, query: str) -> None:
        self._lines.show(find(query, self._commands, get_action_log().names))
        self.list.setCurrentIndex(self._lines.index(0))
        self.empty_label.setVisible(not self._lines.commands)
        self.list.setVisible(bool(self._lines.commands))
        self._update_geometry()

    def _update_geometry(self) -> None:
        window = self.window()
        width = min(theme.pixels(_WIDTH), window.width() - 4 * GRID)
        rows = min(_ROWS, max(2, len(self._lines.commands)))
        list_height = theme.pixels(_ROW) * rows + theme.pixels(64)
        height = min(list_height, window.height() - theme.pixels(96))
        self.setGeometry((window.width() - width) // 2, theme.pixels(48), width, height)
