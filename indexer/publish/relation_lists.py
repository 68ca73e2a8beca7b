"""What the report says of pages that belong together: mentions without a link, near-copies (SPEC T30).

Called by `indexer.publish.report_pages`; pure. Relations are between published pages only.
"""

from msgspec import Struct

from indexer.model.relations import Copies, Mention
from indexer.model.result import IndexResult
from indexer.publish.link_lists import PageLine, show_page


class MentionLine(Struct, frozen=True):
    """One page spoken of by another that does not link to it."""

    page: PageLine
    """The page that speaks."""
    line: int
    words: str
    times: int
    target: PageLine
    """The page meant."""


class CopyLine(Struct, frozen=True):
    """One page that is a copy of another."""

    page: PageLine
    first: PageLine
    share: int
    """Per cent of the words that both have of those that either has."""


class RelationReport(Struct, frozen=True):
    """Everything that the report says of relations."""

    known: bool
    """False for a large brain that was never refreshed."""
    waiting: str = ""
    """Why relations wait; empty when they do not."""
    mentions: tuple[MentionLine, ...] = ()
    copies: tuple[CopyLine, ...] = ()


def list_relations(result: IndexResult) -> RelationReport:
    """Return what is to be said of the published pages."""
    relations = result.relations
    if relations is None:
        return RelationReport(known=False)
    mentions = tuple(_show_mention(mention, result) for mention in relations.mentions)
    copies = tuple(line for each in relations.copies for line in _show_copies(each, result))
    return RelationReport(True, relations.waiting, mentions, copies)


def _show_mention(mention: Mention, result: IndexResult) -> MentionLine:
    return MentionLine(show_page(mention.path, result), mention.line, mention.words, mention.times, show_page(mention.target, result))


def _show_copies(copies: Copies, result: IndexResult) -> list[CopyLine]:
    first = show_page(copies.path, result)
    return [CopyLine(show_page(path, result), first, int(share * 100)) for path, share in copies.others]
