"""Many pages at once: the step that runs in worker processes. Called by the pipeline, which keeps what comes back in the page cache."""

from collections.abc import Sequence

import msgspec

from indexer.model.page import EncodedPage
from indexer.parse.page import PARSER_VERSION, parse_page
from indexer.parse.terms import TERMS_VERSION, page_sections, page_terms

CACHE_VERSION = f"{PARSER_VERSION}.{TERMS_VERSION}"


def parse_batch(files: Sequence[tuple[str, bytes]]) -> list[EncodedPage]:
    """Return the parse results of (blob id, bytes), encoded."""
    encoder = msgspec.msgpack.Encoder()
    results = []
    for blob, data in files:
        page = parse_page(data)
        terms = encoder.encode((page_terms(page), page_sections(page)))
        results.append(EncodedPage(blob, encoder.encode(page.facts()), encoder.encode(page.body()), terms))
    return results
