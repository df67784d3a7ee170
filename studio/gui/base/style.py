"""The style sheet: how stock widgets look. It only uses the tokens of a theme.

Widgets choose a look by dynamic properties: ``role`` on labels and frames (``title``, ``section``,
``muted``, ``card``, …) and ``kind`` on buttons (``primary``, ``quiet``, ``danger``).
"""

from collections.abc import Mapping

_SHEET = """
QWidget {{ color: {text}; }}
QMainWindow, QDialog, QWidget[role="page"] {{ background: {background}; }}
QToolTip {{ background: {surface}; color: {text}; border: 1px solid {border}; padding: 6px; }}

QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: {title}px; font-weight: {bold}; }}
QLabel[role="section"] {{ font-size: {large}px; font-weight: {bold}; }}
QLabel[role="muted"] {{ color: {muted}; }}
QLabel[role="small"] {{ color: {muted}; font-size: {small}px; }}
QLabel[role="hover"] {{ background: {surface}; border: 1px solid {muted};
    border-radius: {control}px; font-size: {small}px; padding: 4px 8px; }}
QLabel[role="warning"] {{ color: {warn}; font-size: {small}px; }}
QLabel[role="problem"] {{ color: {bad}; font-size: {small}px; }}
QLabel[role="pill"] {{ background: {surface}; color: {muted}; border-radius: {pill}px;
    border: 1px solid {border}; padding: 1px 8px; font-size: {small}px; }}
QLabel:disabled {{ color: {muted}; }}

QFrame[role="card"] {{ background: {surface}; border: 1px solid {border};
    border-radius: {card}px; }}
QFrame[role="palette"] {{ background: {surface}; border: 1px solid {muted};
    border-radius: {card}px; }}
QFrame[role="help"] {{ background: {surface}; border: none; border-left: 1px solid {border}; }}
QFrame[role="bar"] {{ background: {surface}; border: none; }}
QFrame[role="line"] {{ background: {border}; border: none; }}
QFrame[role="banner"] {{ background: {accent_soft}; border: 1px solid {border};
    border-radius: {card}px; }}
QFrame[role="decide"] {{ background: {surface}; border: 1px solid {warn};
    border-radius: {card}px; }}
QFrame[role="decide"] QLabel[role="section"] {{ color: {warn}; }}

QPushButton, QToolButton, QTabBar {{ outline: none; }}
QPushButton, QToolButton {{ background: {surface}; border: 1px solid {border};
    border-radius: {control}px; padding: 6px 12px; min-height: {line}px; }}
QToolButton {{ padding: 6px; }}
QPushButton:hover, QToolButton:hover {{ background: {raised}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {border}; }}
QPushButton:focus, QToolButton:focus {{ border: 1px solid {accent}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {faint}; background: transparent; }}
QPushButton[kind="primary"] {{ background: {accent}; color: {on_accent};
    border: 1px solid {accent}; font-weight: {bold}; padding: 6px 16px; }}
QPushButton[kind="primary"]:hover {{ background: {accent_strong}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {text}; padding: 5px 15px; }}
QPushButton[kind="primary"]:disabled {{ background: {raised}; color: {faint};
    border-color: {raised}; }}
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {{ background: transparent;
    border: 1px solid transparent; }}
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover {{ background: {raised}; }}
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus {{ border-color: {accent}; }}
QPushButton[kind="link"] {{ background: transparent; border: none; color: {accent};
    padding: 4px 0; text-align: left; }}
QPushButton[kind="link"]:focus {{ text-decoration: underline; }}
QPushButton[kind="danger"] {{ color: {bad}; }}
QPushButton::menu-indicator, QToolButton::menu-indicator {{ image: none; width: 0; }}

QPushButton[kind="rail"] {{ background: transparent; border: none; border-radius: {card}px;
    padding: 8px 12px; text-align: left; color: {muted}; }}
QPushButton[kind="rail"]:hover {{ background: {raised}; color: {text}; }}
QPushButton[kind="rail"]:checked {{ background: {accent_soft}; color: {text};
    font-weight: {bold}; }}
QPushButton[kind="rail"]:focus {{ border: 1px solid {accent}; padding: 7px 11px; }}
QPushButton[kind="chip"] {{ background: {surface}; border: 1px solid {border};
    border-radius: {chip}px; padding: 4px 12px; color: {muted}; }}
QPushButton[kind="chip"]:hover {{ background: {raised}; color: {text}; }}
QPushButton[kind="chip"]:checked {{ background: {accent_soft}; border-color: {accent};
    color: {text}; }}
QPushButton[kind="chip"]:focus {{ border: 1px dashed {text}; }}
QPushButton[kind="rail"]:disabled {{ background: transparent; color: {faint}; }}

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit {{
    background: {surface}; border: 1px solid {border}; border-radius: {control}px; padding: 5px 8px;
    selection-background-color: {accent}; selection-color: {on_accent}; }}
QTextBrowser[role="reader"] {{ border: none; background: transparent; padding: 0; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ min-height: {line}px; }}
QLineEdit > QToolButton {{ background: transparent; border: none; padding: 0; min-height: 0; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus {{
    border: 1px solid {accent}; }}
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {{
    color: {faint}; background: {background}; }}
QLineEdit[valid="false"], QSpinBox[valid="false"], QComboBox[valid="false"] {{
    border: 1px solid {bad}; }}
QFrame[role="pointed"] {{ border: 2px solid {accent}; border-radius: {control}px;
    background: transparent; }}
QComboBox {{ padding-right: 24px; combobox-popup: 0; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox::down-arrow {{ image: url(icons:chevron-down-{key}.svg); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {surface}; border: 1px solid {border};
    outline: none; padding: 4px; selection-background-color: {accent_soft};
    selection-color: {text}; }}
QComboBox QAbstractItemView::item {{ min-height: {row}px; }}
QSpinBox::up-button, QDoubleSpinBox::up-button {{ border: none; width: 20px;
    subcontrol-position: top right; }}
QSpinBox::down-button, QDoubleSpinBox::down-button {{ border: none; width: 20px;
    subcontrol-position: bottom right; }}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {{ image: url(icons:chevron-up-{key}.svg);
    width: 10px; height: 10px; }}
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {{ image: url(icons:chevron-down-{key}.svg);
    width: 10px; height: 10px; }}
QCheckBox, QRadioButton {{ spacing: 8px; background: transparent; }}
QCheckBox::indicator, QTableView::indicator {{
    width: {box}px; height: {box}px; border: 1px solid {muted};
    border-radius: {tick}px; background: {surface}; }}
QCheckBox::indicator:checked, QTableView::indicator:checked {{
    background: {accent}; border-color: {accent};
    image: url(icons:check-{key}.svg); }}
QCheckBox::indicator:focus {{ border: 2px solid {accent}; }}

QHeaderView {{ background: {surface}; border: none; }}
QHeaderView::section {{ background: {surface}; color: {muted}; border: none;
    border-bottom: 1px solid {border}; padding: 6px 8px; font-weight: {bold}; }}
QHeaderView::up-arrow, QHeaderView::down-arrow {{ image: none; width: 0; }}
QTableView, QTreeView, QListView {{ background: {surface}; border: none; outline: none;
    gridline-color: {raised}; alternate-background-color: {background};
    selection-background-color: {accent_soft}; selection-color: {text}; }}
QTableView::item {{ padding: 0 6px; }}
QHeaderView::section:vertical {{ border: none; font-weight: {regular}; padding: 0 8px; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QListWidget::item {{ padding: 2px 0; }}
QTableCornerButton::section {{ background: {surface}; border: none; }}

QScrollArea {{ background: transparent; border: none; }}
QScrollArea > QWidget > QWidget {{ background: transparent; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {scroll}; border-radius: {tick}px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QSplitter::handle {{ background: transparent; }}
QProgressBar {{ background: {raised}; border: none; border-radius: {mark}px; max-height: 6px;
    min-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: {mark}px; }}
QSlider::groove:horizontal {{ background: {raised}; height: 4px; border-radius: {mark}px; }}
QSlider::sub-page:horizontal {{ background: {accent}; height: 4px; border-radius: {mark}px; }}
QSlider::handle:horizontal {{ background: {accent}; width: 14px; height: 14px; margin: -5px 0;
    border-radius: {handle}px; }}
QSlider::handle:horizontal:focus {{ border: 2px solid {text}; width: 10px; height: 10px; }}
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled {{
    background: {border}; }}
QMenu {{ background: {surface}; border: 1px solid {border}; border-radius: {control}px;
    padding: 6px; }}
QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: {tick}px; }}
QMenu::item:selected {{ background: {accent_soft}; }}
QMenu::item:disabled {{ color: {faint}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 6px; }}
QMenu::icon {{ padding-left: 8px; }}
QDockWidget {{ border: none; }}
QMainWindow::separator {{ background: transparent; width: 6px; height: 4px; }}
QMainWindow::separator:hover {{ background: {border}; }}
QTabBar::tab {{ background: transparent; color: {muted}; padding: 6px 12px; border: none;
    border-bottom: 2px solid transparent; }}
QTabBar QToolButton {{ padding: 0; }}
QTabBar::tab:focus {{ background: {accent_soft}; }}
QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
"""


def style_sheet(tokens: Mapping[str, object]) -> str:
    """Return the style sheet with a theme's colours and sizes by name.

    Icons are named by Qt's search path ``icons``: the path of the program's folder may hold
    characters that mean something in a style sheet.
    """
    return _SHEET.format(**tokens)
