"""The first lines of a document that does not exist yet (SPEC P11). Called by `indexer.publish.report_values` and `report_pages`; pure."""

import json
import re

from indexer.model.blueprint import PlannedDocument

_MOST_HEADINGS, _LONGEST_HEADING = 6, 160
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?: [A-Za-z0-9]+)*")
_WORDS_OF_YAML = frozenset({"yes", "no", "true", "false", "null", "on", "off", "y", "n"})
_SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[^a-z])")
_INVISIBLE = re.compile("[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def write_start(plan: PlannedDocument) -> str:
    """Return the first lines of a document: frontmatter to fill in, its title, and a heading for each thing that it should say."""
    title = fold_line(plan.title)
    headings = "".join(f"\n## {heading}\n" for heading in list_headings(plan.asks))
    return f"---\ntitle: {_quote_yaml(title)}\nsummary:\nowner:\n---\n\n# {title}\n{headings}"


def list_headings(asks: str) -> list[str]:
    """Return each sentence or question of `asks` as a heading; empty when they are too many or too long for headings."""
    sentences = [sentence.removesuffix(".").strip() for sentence in _SENTENCES.split(fold_line(asks))]
    headings = [sentence for sentence in sentences if sentence]
    return headings if len(headings) <= _MOST_HEADINGS and all(len(each) <= _LONGEST_HEADING for each in headings) else []


def fold_line(text: str) -> str:
    """Return text as one line without characters that cannot be seen: in a file they would hide what it says."""
    return " ".join(_INVISIBLE.sub(" ", text).split())


def _quote_yaml(text: str) -> str:
    """JSON is YAML: what is not plainly words stands in quotes."""
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if plain else json.dumps(text, ensure_ascii=False)
