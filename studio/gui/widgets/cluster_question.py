"""Confirmation dialog before this computer connects to a cluster.

The owner of a cluster's address can run programs on the computers that connect to it. A document
may come from a stranger, so its addresses are used only after confirmation on this computer, which
is stored in the preferences, never in a document.
"""

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from studio.gui.base import preferences
from studio.language import tr
from studio.runs.choices import ADDRESS_PATTERN
from studio.runs.trust import is_elsewhere

_MAX_ADDRESS_LENGTH = 80


def is_confirmed(address: str) -> bool:
    """Whether the address was confirmed before."""
    return not is_elsewhere(address) or address in preferences.load().clusters.split()


def confirm_cluster(address: str) -> str | None:
    """Return the confirmed address, "" for this computer, ``None`` for neither."""
    if is_confirmed(address):
        return address
    answer = _ask_for_confirmation(address)
    if answer:
        _store_address(answer)
    return answer


def _store_address(address: str) -> None:
    stored = preferences.load()
    preferences.save(stored.changed(clusters=f"{stored.clusters} {address}".strip()))


def _ask_for_confirmation(address: str) -> str | None:
    box = QMessageBox(QApplication.activeWindow())
    box.setIcon(QMessageBox.Icon.Warning)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(tr("Connect to a cluster?"))
    possible = re.fullmatch(ADDRESS_PATTERN, address) is not None
    address_text = address if possible else ascii(address)
    box.setText(
        tr(
            "The training is to run on the cluster at {address}.",
            address=address_text[:_MAX_ADDRESS_LENGTH],
        )
    )
    box.setInformativeText(
        tr(
            "Anyone in control of this address can run programs on your computer. A document "
            "from someone else may contain any address: connect only if you know and trust it."
        )
    )
    connect = box.addButton(tr("Connect"), QMessageBox.ButtonRole.DestructiveRole)
    connect.setToolTip(tr("Connect, now and in future; Settings lists the clusters that you trust"))
    connect.setEnabled(possible)
    local_button = box.addButton(tr("Use this computer"), QMessageBox.ButtonRole.AcceptRole)
    local_button.setToolTip(tr("Train with worker processes on this computer instead"))
    cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    cancel.setToolTip(tr("Do not start the run"))
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    box.exec()
    chosen = box.clickedButton()
    if chosen is connect:
        return address
    return "" if chosen is local_button else None
