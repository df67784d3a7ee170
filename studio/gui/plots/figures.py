"""Times as read-outs write them, with their units."""

from studio.gui.base.language import number, tr


def duration(seconds: float) -> str:
    """Write a time with its unit: "12 ms", "3.4 s", "5 min 20 s", "2 h 5 min"."""
    if seconds < 0.9995:
        return tr("{ms} ms", ms=number(1000 * seconds, ".3g"))
    if seconds < 99.5:
        return tr("{s} s", s=number(seconds, ".3g"))
    minutes, left = divmod(round(seconds), 60)
    if minutes < 60:
        return tr("{min} min {s} s", min=minutes, s=left)
    return tr("{h} h {min} min", h=minutes // 60, min=minutes % 60)
