"""A report for people: one HTML file."""

from typing import ClassVar

from studio.export.formats.base import Format, Job, Written
from studio.phrases import phrase


class ReportFormat(Format):
    """What was done, how good it is and how to do it again, with pictures."""

    key: ClassVar[str] = "report"
    title: ClassVar[str] = "Report (HTML)"
    also: ClassVar[str] = "page pdf print document share boss html summary"
    summary: ClassVar[str] = "To read and share: opens in any browser, prints well, works offline."
    suffix: ClassVar[str] = ".html"
    kind: ClassVar[str] = "document"

    def write(self, job: Job) -> Written:
        """Gather and write."""
        from studio.document.whole_files import write_whole
        from studio.export.report.facts import gather
        from studio.export.report.page import page

        job.progress("Gathering errors and members", 0, 0)
        write_whole(job.path, page(gather(job.document, job.run_id, job.progress)))
        return Written(job.path, checked=phrase("One file without scripts; works offline."))
