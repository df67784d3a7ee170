"""The question before models learn from columns which contain the answer."""

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import keep, open_stops
from studio.language import ntr, tr, translate

_SHOWN, _LONGEST = 5, 80
"""Columns of which it is said why, and characters of their names."""


def stops_settled(model: DataModel) -> bool:
    """Return whether a run may start, asking the user where nobody decided about such columns.

    The answer is a choice of the draft, like those of the Data page.
    """
    stops = open_stops(model.draft)
    if not stops:
        return True
    role = chosen_role({each.columns[0]: each.sentence for each in stops})
    if role == "ignore":
        model.set_roles([each.columns[0] for each in stops], role)
    elif role == "feature":
        keep(model, stops)
    return role is not None


def chosen_role(stops: Mapping[str, str]) -> Literal["ignore", "feature"] | None:
    """Ask whether columns that contain the answer are left out; ``None`` means not to start.

    Args:
        stops: Names of columns, as they are shown, and why each contains the answer.
    """
    names = list(stops)
    box = QMessageBox(QApplication.activeWindow())
    box.setIcon(QMessageBox.Icon.Warning)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(tr("Before the start"))
    why = [translate(each) for each in stops.values()][:_SHOWN]
    if len(stops) == 1:
        box.setText(tr("“{name}” already contains the answer.", name=names[0][:_LONGEST]))
    else:
        box.setText(
            ntr(
                "{count} column already contains the answer.",
                "{count} columns already contain the answer.",
                len(stops),
            )
        )
        why = [
            tr("{name}: {words}", name=name[:_LONGEST], words=words)
            for name, words in zip(names, why, strict=False)
        ]
        why.append(tr("To decide for each of them, press Cancel and open the Data page."))
    box.setInformativeText("\n\n".join(why))
    one = len(stops) == 1
    out = box.addButton(
        tr("Leave it out") if one else tr("Leave them out"), QMessageBox.ButtonRole.AcceptRole
    )
    out.setToolTip(tr("Models do not see it.") if one else tr("Models do not see them."))
    kept = box.addButton(
        tr("Keep: it is known beforehand") if one else tr("Keep: they are known beforehand"),
        QMessageBox.ButtonRole.AcceptRole,
    )
    kept.setToolTip(tr("Models use the columns you keep, and the result mentions it"))
    cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    cancel.setToolTip(tr("Do not start"))
    box.setDefaultButton(out)
    box.setEscapeButton(cancel)
    box.exec()
    if box.clickedButton() is out:
        return "ignore"
    return "feature" if box.clickedButton() is kept else None
