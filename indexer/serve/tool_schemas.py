"""The published JSON Schemas of the read tools. Run as a module, it writes them anew; a test holds them to the models."""

import json
from pathlib import Path

from indexer.serve.tools import TOOLS, describe_tool

FOLDER = Path(__file__).parent / "schemas"


def render_tool_schemas() -> dict[str, str]:
    """Return name of the file → its text, two for each tool."""
    return {
        f"{name}.{kind}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name in TOOLS
        for kind, schema in zip(("arguments", "result"), describe_tool(name), strict=True)
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in render_tool_schemas().items():
        (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
