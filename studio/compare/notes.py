"""Names of the notes by which a document keeps a study: light, so that the window reads them."""

STUDY = "study"
"""What the study asks for (:meth:`studio.compare.study.Study.to_json`)."""

CONDUCTOR = "study conductor"
"""Who works on it, and how that goes (:class:`studio.compare.conductor.Conductor`)."""

WISH = "study wish"
"""What whoever works on it shall do: :data:`STOP`, or nothing."""

STOP = "stop"


def of_cell(name: str) -> str:
    """Return the name of the note that knows a cell's run."""
    return f"study cell {name}"


def of_dataset(name: str) -> str:
    """Return the name of the note that knows a data set's table."""
    return f"study data {name}"
