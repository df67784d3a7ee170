#!/usr/bin/env python3
"""Make the window's typeface, ``resources/fonts``, from the npm package ``inter-ui``.

    npm pack inter-ui@4.1.1 && pip install fonttools brotli
    python packaging/typeface.py inter-ui-4.1.1.tgz

Two weights of Inter with the letters of European languages and the signs that the window shows;
every other letter comes from the system's fonts. The shapes of letters are unchanged.
"""

import io
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

FONTS = Path(__file__).resolve().parents[1] / "resources" / "fonts"
WEIGHTS = ("Regular", "SemiBold")
LETTERS = (
    (0x0020, 0x024F),  # Latin, including all European languages
    (0x02B0, 0x036F),  # modifiers and combining marks
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x052F),  # Cyrillic
    (0x1D40, 0x1DBF),  # superscript letters
    (0x1E00, 0x1EFF),  # Latin of Vietnamese
    (0x2000, 0x22FF),  # punctuation, powers, currencies, fractions, arrows, operators
    (0x2300, 0x23FF),  # brackets of floor and ceiling
    (0x25A0, 0x27BF),  # shapes and ticks
)
FEATURES = ["ccmp", "kern", "locl", "mark", "mkmk", "tnum"]
"""Included features of Inter; ``calt`` would draw "->" in a table's cell as an arrow."""

DIGITS = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
"""Signs with equal widths by ``tnum``; Inter's also includes spaces, hyphens and brackets."""

_FAMILY, _STYLE = (1, 16), (2, 17)
"""Numbers of the names in a font's table of names."""


def make_typeface(source: bytes, weight: str) -> "TTFont":
    """Return a weight with the required letters, of the family Inter on every system."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(source), recalcTimestamp=False)
    _keep_digits_of_tnum(font)
    options = Options(layout_features=FEATURES, name_IDs=["*"], notdef_outline=True, hinting=False)
    subsetter = Subsetter(options)
    subsetter.populate(
        unicodes=[letter for low, high in LETTERS for letter in range(low, high + 1)]
    )
    subsetter.subset(font)
    font.flavor = None
    for names, text in ((_FAMILY, "Inter"), (_STYLE, weight)):
        for name in names:
            font["name"].setName(text, name, 3, 1, 0x409)
    return font


def _keep_digits_of_tnum(font: "TTFont") -> None:
    table = font["GSUB"].table
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for number in record.Feature.LookupListIndex:
                for part in table.LookupList.Lookup[number].SubTable:
                    part.mapping = {k: v for k, v in part.mapping.items() if k in DIGITS}


def main() -> int:
    """Write both weights and their licence."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    FONTS.mkdir(exist_ok=True)
    with tarfile.open(sys.argv[1]) as package:

        def read(name: str) -> bytes:
            member = package.extractfile(f"package/{name}")
            assert member is not None
            return member.read()

        for weight in WEIGHTS:
            make_typeface(read(f"web/Inter-{weight}.woff2"), weight).save(
                FONTS / f"Inter-{weight}.ttf"
            )
        (FONTS / "LICENSE.txt").write_bytes(read("LICENSE.txt"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
