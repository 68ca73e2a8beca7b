"""Whether line ends in a paragraph are shown, as in Obsidian. Called by `indexer.publish.website`.

Markdown takes the end of a line for a space; Obsidian shows it, unless "Strict line breaks" is switched on. Poems, addresses and lines
of `name: value` would run into one another. A repo that holds the settings of a vault is shown as the vault shows it.
"""

import msgspec

from indexer.errors import SourceError
from indexer.sources import Source

SETTINGS = ".obsidian/app.json"
_LARGEST = 1024 * 1024


def shows_line_ends(source: Source) -> bool:
    """Whether the content root is an Obsidian vault that has not switched line ends off; what cannot be read counts as none."""
    try:
        data = source.read_unlisted(SETTINGS, _LARGEST)
        settings = msgspec.json.decode(data) if data is not None else None
    except (SourceError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(settings, dict) and settings.get("strictLineBreaks") is not True
