"""How many trials at the same time this machine can take, whatever number was asked for.

A number may come from a slip of the hand, or in a document from a larger machine.
"""

from studio.document.store import Document
from studio.phrases import phrase
from studio.runs.limits import LEAST_MEMORY, SHARE_OF_MACHINE
from studio.system.allotted import cores, memory

MOST_A_CORE = 4
"""Workers for each core, at most: a trial keeps a core busy, so more of them only wait."""


def workers_here(asked: int) -> int:
    """Return how many workers are started where ``asked`` were asked for (at least 1)."""
    most = int(memory() * SHARE_OF_MACHINE) // LEAST_MEMORY
    return max(1, min(asked, MOST_A_CORE * cores(), most))


def too_many(asked: int) -> str:
    """Return a sentence where fewer workers are started than were asked for, or ""."""
    most = workers_here(asked)
    if asked <= most:
        return ""
    return phrase(
        "{asked:,} workers were requested; there will be {most}, as many as this machine can "
        "run (cores: {cores}, memory: {memory:.0f} GB).",
        asked=asked,
        most=most,
        cores=cores(),
        memory=memory() / 2**30,
    )


def bound_workers(document: Document, run_id: int, cluster: str = "") -> str:
    """Let a run have no more workers than this machine can take; return what was said, or "".

    It is said in the document, and the run's settings give the actual number. A cluster that
    somebody here has allowed (``cluster``) bounds its jobs itself.
    """
    settings = document.run(run_id).settings
    said = "" if cluster else too_many(int(settings["workers"]))
    if said:
        with document.transaction():
            document.change_settings(run_id, {"workers": workers_here(int(settings["workers"]))})
            document.add_message(run_id, "info", said)
    return said
