"""The search space of a run, as JSON."""

import json
from typing import ClassVar

from studio.export.formats.base import Format, Job, Written
from studio.phrases import phrase


class SpaceFormat(Format):
    """The tree of hyperparameters as the tree editor saves and opens it."""

    key: ClassVar[str] = "space"
    title: ClassVar[str] = "Search space (JSON)"
    also: ClassVar[str] = "json search space hyperparameters"
    summary: ClassVar[str] = "The search space of this run; open it again on the Space page."
    suffix: ClassVar[str] = ".json"
    kind: ClassVar[str] = "document"

    def write(self, job: Job) -> Written:
        """Write the space, then read it back."""
        from studio.document.whole_files import write_whole
        from studio.runs.settings import RunSettings
        from studio.space.library import default_for
        from studio.space.space import Space

        settings = RunSettings.from_json(job.document.runs.get(job.run_id).settings)
        if settings.space is None:
            task = "regression" if settings.source.task == "regression" else "binary"
            given = default_for(task).to_json()
        else:
            given = dict(settings.space)
        content = json.dumps(given, indent=2, ensure_ascii=False)
        Space.from_json(json.loads(content)).check()
        write_whole(job.path, content)
        return Written(job.path, checked=phrase("Read back: it is a valid space."))
