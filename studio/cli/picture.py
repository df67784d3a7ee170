"""``studio picture``: a screenshot of the window as PNG, without a display."""

import argparse
from pathlib import Path

from studio.cli.output import print_line
from studio.errors import UsageError

HELP = "Write a picture of the window with a document open, without a screen."

PAGES = ("welcome", "data", "space", "run", "live", "compare", "results")
_MAX_SCALE = 4.0
_MAX_SIDE = 8192


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="the PNG to write; replaced if it exists"
    )
    parser.add_argument("--page", choices=PAGES, default="live")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="pixels for each of width and height (2 for HiDPI)"
    )
    parser.add_argument("--language", default="en", help="en, fr, or xx: lengthened, for tests")
    parser.add_argument(
        "--question", default="", metavar="KEY", help="a question of the Results page, such as why"
    )
    parser.add_argument(
        "--plots", default="", metavar="KEY,KEY", help="plots of the Live page to show alone"
    )
    parser.add_argument("--presenting", action="store_true", help="large type, as for a projector")
    parser.add_argument(
        "--bare", action="store_true", help="without the window around the page or the plots"
    )


def run_command(arguments: argparse.Namespace) -> int:
    """Write the picture; raise UsageError for a size or scale out of range."""
    from studio.gui.screenshot import ScreenshotOptions, capture

    if not 1.0 <= arguments.scale <= _MAX_SCALE:
        raise UsageError(f"--scale must be from 1 to {_MAX_SCALE:g}, not {arguments.scale:g}.")
    for name in ("width", "height"):
        if not 1 <= (side := getattr(arguments, name)) <= _MAX_SIDE:
            raise UsageError(f"--{name} must be from 1 to {_MAX_SIDE}, not {side}.")
    capture(
        arguments.document,
        arguments.output,
        ScreenshotOptions(
            page=arguments.page,
            is_dark=arguments.dark,
            size=(arguments.width, arguments.height),
            scale=arguments.scale,
            language=arguments.language,
            question=arguments.question,
            plots=tuple(key for key in arguments.plots.split(",") if key),
            is_presentation=arguments.presenting,
            omits_window=arguments.bare,
        ),
    )
    print_line(f"Wrote {arguments.output}")
    return 0
