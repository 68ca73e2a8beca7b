"""Many pages at once: the step that runs in worker processes. Called by the pipeline, which keeps what comes back in the page cache."""

from collections.abc import Sequence

import msgspec

from indexer.model.page import EncodedPage, ParsedPage
from indexer.model.search import pack_terms
from indexer.parse.versions import PARSER_VERSION, TERMS_VERSION

CACHE_VERSION = f"3.{PARSER_VERSION}.{TERMS_VERSION}"


def parse_batch(files: Sequence[tuple[str, bytes]]) -> list[EncodedPage]:
    """Return the parse results of (blob id, bytes), encoded."""
    from indexer.parse.terms import page_sections, page_terms  # noqa: PLC0415 (a build without changes parses nothing)

    encoder = msgspec.msgpack.Encoder()
    results = []
    for blob, data in files:
        page = _parse_isolated(data)
        terms = encoder.encode((pack_terms(page_terms(page)), page_sections(page)))
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
    from indexer.parse.page import parse_page, parse_plain  # noqa: PLC0415

    try:
        return parse_page(data)
    except Exception as error:  # noqa: BLE001 (the one place below the edges where any failure may end: it becomes a finding)
        return parse_plain(data, f"{type(error).__name__}: {error}")


def is_hidden(data: bytes) -> bool:
    """Return whether a page with these bytes would be hidden; far cheaper than reading all of it, and loaded only when asked."""
    from indexer.parse.decode import decode_text  # noqa: PLC0415
    from indexer.parse.frontmatter import parse_frontmatter  # noqa: PLC0415
    from indexer.parse.generated import cut_block  # noqa: PLC0415

    return parse_frontmatter(cut_block(decode_text(data)[0])).hidden
