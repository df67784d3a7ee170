"""A picture of the window without a screen: for pull requests, guides and machines without one."""

import os
import time
from pathlib import Path

from studio.errors import StudioError

_LONGEST_SECONDS = 20.0
_SETTLING_SECONDS = 1.0


def take(document: Path, output: Path, *, page: str, dark: bool, size: tuple[int, int]) -> None:
    """Open a document in a window that nobody sees and write its picture.

    Parameters
    ----------
    document : Path
        A ``.studio`` file; it is not changed but for the window's own notes.
    output : Path
        The PNG.
    page : str
        "data", "space", "run", "live" or "results".
    dark : bool
        Whether in the dark theme.
    size : (int, int)
        Width and height in pixels.

    Raises
    ------
    StudioError
        If the document cannot be opened or the picture cannot be written.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from studio.gui import theme
    from studio.gui.app import make_app
    from studio.gui.window import MainWindow

    app = make_app()
    theme.apply(app, theme.DARK if dark else theme.LIGHT)
    window = MainWindow()
    try:
        window.resize(*size)
        window.session.open(document)
        window.show_page(page)
        window.show()
        # The helper's answers fill the last corners; without them the picture is still true.
        begun = time.monotonic()
        while time.monotonic() - begun < _LONGEST_SECONDS:
            app.processEvents()
            time.sleep(0.02)
            if not window.helper.busy and time.monotonic() - begun > _SETTLING_SECONDS:
                break
        if not window.grab().save(str(output), "PNG"):
            raise StudioError(f"The picture could not be written to {output}.")
    finally:
        window.session.close()
        window.helper.close()
        window.deleteLater()
