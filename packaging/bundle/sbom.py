"""The software bill of materials, in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/)."""

import json
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bundle.components import Component


def write(components: list[Component], file: Path, version: str, seconds: int) -> None:
    """Write the bill of materials.

    Args:
        components: Third-party components.
        file: Replaced if it exists.
        version: Of Ensemble Studio.
        seconds: Time of the source's last change, since 1970: the same source makes the same file.
    """
    component_entries = [_part(each) for each in components]
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([version, seconds, component_entries]))
    package_url = f"pkg:pypi/ensemble-studio@{version}"
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(seconds, UTC).isoformat(),
            "component": {
                "type": "application",
                "bom-ref": package_url,
                "name": "ensemble-studio",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
                "purl": package_url,
            },
        },
        "components": component_entries,
        "dependencies": [
            {"ref": package_url, "dependsOn": sorted(each["bom-ref"] for each in component_entries)}
        ],
    }
    file.write_text(json.dumps(bill, indent=2) + "\n", "utf-8")


def _part(component: Component) -> dict[str, Any]:
    licence = (
        {"expression": component.licence}
        if component.spdx
        else {"license": {"name": component.licence}}
    )
    return {
        "type": "library",
        "bom-ref": component.purl,
        "name": component.name,
        "version": component.version,
        "licenses": [licence],
        "purl": component.purl,
    }
