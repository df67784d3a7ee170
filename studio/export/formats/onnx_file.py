"""The ensemble as an ONNX graph, which runs without Python."""

from typing import ClassVar

from studio.export.formats.base import MODEL, Format, Job, Written


class OnnxFormat(Format):
    """Members and what combines them as one graph in single precision."""

    key: ClassVar[str] = "onnx"
    title: ClassVar[str] = "ONNX"
    also: ClassVar[str] = "model deploy java javascript c++ production save other languages"
    summary: ClassVar[str] = (
        "Runs without Python: on servers, phones, in browsers. Computes in single precision."
    )
    suffix: ClassVar[str] = ".onnx"
    extra: ClassVar[str] = "onnx"
    modules: ClassVar[tuple[str, ...]] = ("skl2onnx", "onnxmltools", "onnxruntime")
    endings: ClassVar[tuple[str, ...]] = MODEL

    def write(self, job: Job) -> Written:
        """Train, write, check."""
        from studio.export.onnx_model import write

        return write(job)
