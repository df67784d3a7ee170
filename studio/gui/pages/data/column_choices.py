"""Kinds and roles of columns in words, and their menu."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base.tooltips import make_plain_tip
from studio.helper.preview import PreviewColumn
from studio.language import N_, group_digits, ntr, tr, translate
from studio.measure import format_range_ends

KIND_WORDS = {
    "number": N_("numbers"),
    "category": N_("words"),
    "date": N_("dates"),
    "text": N_("text"),
}
ROLE_WORDS = {
    "feature": N_("used"),
    "target": N_("to predict"),
    "ignore": N_("left out"),
    "group": N_("group"),
    "time": N_("time"),
    "weight": N_("weight"),
}
ROLE_CHOICES = (
    ("target", N_("Predict this column (target)"), N_("Models learn to predict its values")),
    ("feature", N_("Use it to predict (feature)"), N_("Models learn from it")),
    ("ignore", N_("Leave it out"), N_("It is ignored")),
    (
        "group",
        N_("Keep rows with the same value together (group)"),
        N_("No patient, customer or machine is in both training and test"),
    ),
    (
        "time",
        N_("Order rows by it (time)"),
        N_("Models learn from the past; the latest rows are the test rows"),
    ),
    (
        "weight",
        N_("Weight rows by it (weight)"),
        N_("A row of weight 2 counts as much as two rows"),
    ),
)
"""Roles with their label and purpose."""

KIND_CHOICES = (
    ("number", N_("Read as numbers"), N_("Their order and size are meaningful")),
    ("category", N_("Read as words"), N_("Values are names without an order")),
    ("date", N_("Read as dates"), N_("Models learn from year, month, day, weekday and hour")),
    ("text", N_("Read as text"), N_("Models learn from its words and pairs of words")),
)
EXCLUSIVE_ROLES = {"group": "time", "time": "group"}
"""Mutually exclusive roles: a split cannot respect both groups and the order of time."""

SINGLE_COLUMN_ROLES = frozenset({"target", "group", "time", "weight"})


def make_column_tooltip(column: PreviewColumn) -> str:
    """Describe a column in a few lines."""
    kind = tr(KIND_WORDS[column.kind]).capitalize()
    distinct, missing = group_digits(column.distinct), group_digits(column.missing)
    lines = [
        str(column.name)[:200],
        tr("{kind}: {reason}", kind=kind, reason=translate(column.reason)),
        tr("{distinct} different values, {missing} missing", distinct=distinct, missing=missing),
    ]
    if column.minimum is not None and column.maximum is not None:
        unit = column.number_format.unit if column.number_format else ""
        low, high = format_range_ends(column.minimum, column.maximum, unit)
        lines.append(tr("From {low} to {high}", low=low, high=high))
    return "\n".join([*lines, *map(translate, column.warnings), tr("Click to choose its role.")])


def summarise_column(column: PreviewColumn) -> str:
    """Return the line beneath a column's name: "words · left out · 12 missing"."""
    parts = [tr(KIND_WORDS[column.kind])]
    if column.role != "feature":
        parts.append(tr(ROLE_WORDS[column.role]))
    if column.missing:
        parts.append(ntr("{count} missing", "{count} missing", column.missing))
    return ("⚠ " if column.is_doubtful else "") + " · ".join(parts)


def make_choices_menu(
    parent: QWidget,
    selected: Sequence[PreviewColumn],
    columns: Sequence[PreviewColumn],
    on_role: Callable[[str], object],
    on_kind: Callable[[str], object],
) -> QMenu:
    """Return the menu of roles and kinds for the selected columns; choices are passed on."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    names = {each.name for each in selected}
    other_columns: dict[str, str] = {e.role: e.name for e in columns if e.name not in names}
    roles, kinds = {each.role for each in selected}, {each.kind for each in selected}
    for role, text, tip in ROLE_CHOICES:
        action = menu.addAction(tr(text), partial(on_role, role))
        action.setCheckable(True)
        action.setChecked(roles == {role})
        conflicting_role, reason = EXCLUSIVE_ROLES.get(role, ""), ""
        if "target" in roles and role != "target":
            reason = tr("Choose another column to predict first")
        elif len(selected) > 1 and role in SINGLE_COLUMN_ROLES:
            reason = tr("Only one column can have this role")
        elif name := other_columns.get(conflicting_role, ""):
            word = tr(ROLE_WORDS[conflicting_role])
            reason = tr("Not while “{name}” is the {role}", name=name, role=word)
        action.setEnabled(not reason)
        action.setToolTip(make_plain_tip(reason or tr(tip)))
    menu.addSeparator()
    for kind, text, tip in KIND_CHOICES:
        action = menu.addAction(tr(text), partial(on_kind, kind))
        action.setCheckable(True)
        action.setChecked(kinds == {kind})
        action.setToolTip(make_plain_tip(tr(tip)))
    return menu
