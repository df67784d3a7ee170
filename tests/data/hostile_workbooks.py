"""Hostile workbooks of a few kilobytes; packaging/torture uses them, too."""

import io
import zipfile

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def make_workbook(sheet: str, texts: str = "", *, dimension: str = "", styles: str = "") -> bytes:
    """Return a workbook of one sheet from the XML of its rows and its shared texts."""
    parts = {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}">{dimension}<sheetData>{sheet}'
        "</sheetData></worksheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{texts}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>',
    }
    kinds = ("worksheet", "sharedStrings", "styles", "sheet.main")
    types = "".join(
        f'<Override PartName="/{part}" ContentType="{_KIND}.{kind}+xml"/>'
        for part, kind in zip(parts, kinds, strict=True)
    )
    relations = "".join(
        f'<Relationship Id="r{index}" Type="{_OFFICE}/{kind}" Target="/{part}"/>'
        for index, (part, kind) in enumerate(zip(parts, kinds[:3], strict=False))
    )
    parts |= {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{relations}</Relationships>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def row(number: object, *values: object, first: str = "A") -> str:
    """Return the XML of a row with texts from a column on."""
    cells = (
        f'<c r="{first if index == 0 else chr(65 + index)}{number}" t="inlineStr">'
        f"<is><t>{value}</t></is></c>"
        for index, value in enumerate(values)
    )
    return f'<row r="{number}">{"".join(cells)}</row>'


SOUND = "".join(
    [row(1, "a", "b", "target"), *(row(n, n, 2 * n, "xy"[n % 2]) for n in range(2, 40))]
)

TRAPS = {
    "a row number without end": make_workbook(SOUND + row(999_999_999_999, 1, 2, "x")),
    "a row after the last": make_workbook(SOUND + row(2**20 + 1, 1, 2, "x")),
    "rows without number": make_workbook(SOUND + "<row/>" * (2**20 + 1)),
    "a column after the last": make_workbook(SOUND + row(41, "x", first="XFE")),
    "cells without end": make_workbook(f"{SOUND}<row>{'<c/>' * 10**6}</row>"),
    "prefixed cells without end": make_workbook(
        f'{SOUND}<x:row xmlns:x="{_MAIN}">{"<x:c/>" * 10**6}</x:row>'
    ),
    "texts without end": make_workbook(SOUND, "<si/>" * 10**6),
    "styles without end": make_workbook(SOUND, styles=f"<cellXfs>{'<xf/>' * 10**6}</cellXfs>"),
}
"""Each is rejected with a message; made at import, in a second or two."""

HARMLESS = {
    "the last row": make_workbook(SOUND + row(2**20, 1, 2, "x")),
    "a claim to every cell": make_workbook(SOUND, dimension='<dimension ref="A1:XFD1048576"/>'),
    "shared texts": make_workbook(
        SOUND + '<row r="41"><c r="A41" t="s"><v>0</v></c></row>', "<si><t>7</t></si>"
    ),
}
"""Each is readable."""
