"""How people see the state of a document. Used by `indexer.publish.render` and the pages of the report."""

from msgspec import Struct

from indexer.model.blueprint import DocumentState


class StateLook(Struct, frozen=True):
    """How people see a state."""

    css: str
    words: str


LOOKS: dict[DocumentState, StateLook] = {
    "checked": StateLook("checked", "Checked"),
    "filled": StateLook("filled", "Written, not checked"),
    "outOfDate": StateLook("outdated", "Out of date"),
    "declined": StateLook("declined", "Declined"),
    "missing": StateLook("missing", "Not written yet"),
}
