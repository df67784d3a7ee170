"""The folder ``licences``: the components of a bundle and their terms."""

import shutil
from pathlib import Path

from bundle.components import Component
from bundle.paths import ROOT

_HEAD = """\
# Licences

Ensemble Studio itself is free software under the MIT licence ([text](ensemble-studio/LICENSE)).
This folder has the licences of everything else that comes with it.

## Qt and PySide6

They are used under the LGPL, version 3. They are linked dynamically and may be replaced: their
libraries are the files `_internal/PySide6/Qt/lib/libQt6*.so.6`, `_internal/PySide6/*.so*` and
`_internal/shiboken6/*.so*` of this program's folder. Put others of the same interface in their
place (Qt and PySide6 {version}, built as you like), and the program runs with them; nothing in it
checks. Their sources are at https://download.qt.io/official_releases/QtForPython/ and
https://download.qt.io/official_releases/qt/, what Qt in turn contains at
https://doc.qt.io/qt-6/licenses-used-in-qt.html. Whoever gave you this program also gives you these
sources for three years, if asked.

## All of them

| part | version | licence | texts |
|---|---|---|---|
"""


def write(components: list[Component], folder: Path) -> None:
    """Write the page and the texts.

    Args:
        components: Third-party components.
        folder: Replaced if it exists.
    """
    shutil.rmtree(folder, ignore_errors=True)
    own = folder / "ensemble-studio" / "LICENSE"
    own.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "LICENSE", own)
    (version,) = (each.version for each in components if each.name == "PySide6_Essentials")
    lines = []
    for each in components:
        component_folder = folder / each.name
        component_folder.mkdir()
        links = []
        for number, text in enumerate(each.texts):
            # Texts of one component may have the same name.
            name = text.name if number == 0 else f"{number}-{text.name}"
            shutil.copyfile(text, component_folder / name)
            links.append(f"[{text.name}]({each.name}/{name})")
        licence = each.licence.replace("|", "/")
        lines.append(f"| {each.name} | {each.version} | {licence} | {' '.join(links)} |\n")
    (folder / "README.md").write_text(_HEAD.format(version=version) + "".join(lines), "utf-8")
