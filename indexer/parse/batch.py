"""Many pages at once: the step that runs in worker processes. Called by the pipeline, which keeps what comes back in the page cache."""

from collections.abc import Sequence

import msgspec

from indexer.model.page import EncodedPage, ParsedPage
from indexer.parse.page import PARSER_VERSION, parse_page, parse_plain
from indexer.parse.terms import TERMS_VERSION, page_sections, page_terms

CACHE_VERSION = f"2.{PARSER_VERSION}.{TERMS_VERSION}"


def parse_batch(files: Sequence[tuple[str, bytes]]) -> list[EncodedPage]:
    """Return the parse results of (blob id, bytes), encoded."""
    encoder = msgspec.msgpack.Encoder()
    results = []
    for blob, data in files:
        page = _parse_isolated(data)
        terms = encoder.encode((page_terms(page), page_sections(page)))
        results.append(
            EncodedPage(
                blob,
                encoder.encode(page.facts()),
                encoder.encode(page.body()),
                terms,
                retry=any(finding.code == "IDX002" for finding in page.findings),
            )
        )
    return results


def _parse_isolated(data: bytes) -> ParsedPage:
    """One page that meets a mistake of the parser costs that page, never the run (SPEC P13)."""
    try:
        return parse_page(data)
    except Exception as error:  # noqa: BLE001 (the one place below the edges where any failure may end: it becomes a finding)
        return parse_plain(data, f"{type(error).__name__}: {error}")
