"""A page to be written: everything one HTML file and its twin show, small enough to be sent to a worker and to be fingerprinted."""

from collections.abc import Mapping

from msgspec import Struct, field

from indexer.model.site import PageView


class SlotLink(Struct, frozen=True):
    """What is put into the slots of one link."""

    kind: str
    """`page`, `external`, `file`, `image`, `video`, `audio`, `image-link`, `text` (label only) or `dead`."""
    href: str = ""
    """Relative to the site's root, or absolute for `external` and `image-link`."""
    title: str = ""
    """Why a dead link is dead, or the title attribute."""
    alt: str = ""
    width: int = 0
    height: int = 0
    ambiguous: bool = False


class Embed(Struct, frozen=True):
    """A page, section or block shown inside another page."""

    blob: str
    href: str
    """The embedded page (and section), relative to the site's root."""
    title: str
    links: tuple[SlotLink, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    """(name, address) of the tags in `t` slots."""
    start: str = ""
    """Slot at which the part begins, such as `s3` or `b0`; empty = the whole page."""
    end: str = ""
    """Slot at which it ends; empty = the end of the page's text."""
    embeds: Mapping[int, "Embed"] = field(default_factory=dict)
    """Link number → what is embedded in turn; missing where a cycle or the limit cut it."""


class PageJob(Struct, frozen=True):
    """One file pair of the website: `index.html` and, for pages of the brain, its `.md` twin."""

    view: PageView
    """With empty `content` for pages of the brain; generated pages bring theirs."""
    file: str
    """HTML file below the site's folder."""
    twin: str = ""
    """Twin below the site's folder; empty for generated pages."""
    blob: str = ""
    links: tuple[SlotLink, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    """(name, address relative to the site's root) of the tags in `t` slots."""
    embeds: Mapping[int, Embed] = field(default_factory=dict)
    redactions: tuple[tuple[str, str], ...] = ()
    """(raw link, label): links to hidden pages are only text in the twin."""
