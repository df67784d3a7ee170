"""Confirmation dialog before this computer connects to a cluster.

The owner of a cluster's address can run programs on the computers that connect to it. A document
may come from a stranger, so its addresses are used only after confirmation on this computer, which
is stored in the preferences, never in a document.
"""

import re

from PySide6.QtWidgets import QApplication

from studio.gui.base import preferences
from studio.gui.base.question import QuestionBox, Role
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
        stored = preferences.load()
        clusters = f"{stored.clusters} {answer}".strip()
        preferences.save(stored.with_changes(clusters=clusters))
    return answer


def _ask_for_confirmation(address: str) -> str | None:
    possible = re.fullmatch(ADDRESS_PATTERN, address) is not None
    address_text = address if possible else ascii(address)
    box = QuestionBox(
        QApplication.activeWindow(),
        tr("Connect to a cluster?"),
        tr(
            "The training is to run on the cluster at {address}.",
            address=address_text[:_MAX_ADDRESS_LENGTH],
        ),
        tr(
            "Anyone in control of this address can run programs on your computer. A document "
            "from someone else may contain any address: connect only if you know and trust it."
        ),
    )
    tip = tr("Connect, now and in future; Settings lists the clusters that you trust")
    box.add("connect", tr("Connect"), tip, Role.DestructiveRole).setEnabled(possible)
    tip = tr("Train with worker processes on this computer instead")
    box.add("local", tr("Use this computer"), tip)
    cancel = box.add("cancel", tr("Cancel"), tr("Do not start the run"), Role.RejectRole)
    return {"connect": address, "local": ""}.get(box.ask(default=cancel))
