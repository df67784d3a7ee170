"""Trust decisions: cluster addresses in a document that require approval by a user of this machine.

The settings of a run name the cluster that trained it. The owner of that address can run programs
on every machine that connects to it, and documents are untrusted. So an address is only used if it
was passed to the current command, or confirmed in the window on this machine.
"""

import re
from collections.abc import Mapping
from typing import Any

from studio.errors import UsageError

LOCAL_PREFIX = "local:"
"""Prefix of an address for a number of workers on this machine: ``local:4``. They are threads of
this process, inaccessible to other processes, so no trust is needed.
"""


class UntrustedClusterError(UsageError):
    """A document names a cluster that no user of this machine has approved."""

    def __init__(self, address: str) -> None:
        super().__init__(
            "The document asks for the cluster at {address}. Whoever controls that address can "
            "run programs on this computer, so it counts only if you give it: with --cluster "
            "{address} if you trust it, or with --workers N to work on this computer.",
            address=address,
        )


def is_elsewhere(address: str) -> bool:
    """Whether a cluster's address leads to processes other than this program's."""
    return bool(address) and re.fullmatch(rf"{LOCAL_PREFIX}\d+", address) is None


def check_trusted(address: str, approved: str) -> None:
    """Reject a cluster named only in a document.

    Args:
        approved: The address approved by a user of this machine; empty for none.

    Raises:
        UntrustedClusterError: If the address is not the approved one.
    """
    if is_elsewhere(address) and address != approved:
        raise UntrustedClusterError(address)


def resolve_resume_settings(address: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a continued run, with the cluster or machine named by the user.

    Args:
        address: The previous address, from the document's settings.
        changes: The new settings; "workers" without a "cluster" are workers of this machine.

    Raises:
        UntrustedClusterError: If it was trained on a cluster and neither was given.
    """
    if "workers" in changes and "cluster" not in changes and is_elsewhere(address):
        return {**changes, "cluster": ""}
    check_trusted(str(changes.get("cluster", address)), str(changes.get("cluster", "")))
    return dict(changes)
