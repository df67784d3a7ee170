"""The program's properties for macOS: its documents and requirements."""

from typing import Any

from studio.version import APPLICATION_ID

DOCUMENT_TYPE = f"{APPLICATION_ID}.document"
OLDEST_SYSTEM = "13.0"
"""Minimum version for Qt 6.10."""


def info_plist() -> dict[str, Any]:
    """Return the entries of ``Info.plist`` not made by PyInstaller."""
    return {
        "CFBundleDisplayName": "Ensemble Studio",
        # PyInstaller would set this to True, as the folder also contains a console program.
        "LSBackgroundOnly": False,
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": OLDEST_SYSTEM,
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": "MIT licence",
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Ensemble Studio document",
                "CFBundleTypeRole": "Editor",
                "CFBundleTypeIconFile": "document.icns",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [DOCUMENT_TYPE],
            },
            {
                # In "Open With" and accepted when dropped on the icon, but never the default.
                "CFBundleTypeName": "Table",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": [
                    "public.comma-separated-values-text",
                    "public.tab-separated-values-text",
                ],
            },
        ],
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": DOCUMENT_TYPE,
                "UTTypeDescription": "Ensemble Studio document",
                "UTTypeConformsTo": ["public.database", "public.data", "public.content"],
                "UTTypeIconFile": "document.icns",
                "UTTypeTagSpecification": {
                    "public.filename-extension": ["studio"],
                    "public.mime-type": ["application/x-ensemble-studio"],
                },
            }
        ],
    }
