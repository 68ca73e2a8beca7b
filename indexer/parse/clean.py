"""The one place where page HTML is sanitised (THREATS 17–19, 24, 27). Called by `indexer.parse.page` and for embedded fragments.

Links and images never pass as `href` or `src`: they are slots. What remains is structure, and only what stands in these lists.
"""

import nh3

from indexer.parse.slots import NONCHARACTERS, OWN

CALLOUT_KINDS = frozenset(
    "note abstract info todo tip success question warning failure danger bug example quote important caution tab".split()
)
_TAGS = set(
    (
        "a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure "
        "h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub summary sup "
        "table tbody td tfoot th thead tr u ul var wbr"
    ).split()
)
_DROPPED_WITH_CONTENT = set("script style template noscript iframe object embed svg math title textarea select option".split())
_ATTRIBUTES = {
    "*": {"id", "title", "lang", "dir"},
    "a": {"href"},
    "ol": {"start", "reversed", "type"},
    "li": {"value"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "p": {"align"},
    "div": {"align"},
    "h1": {"align"},
    "h2": {"align"},
    "h3": {"align"},
}
_CALLOUT_CLASSES = {"admonition", "brain-callout", *(f"brain-callout-{kind}" for kind in CALLOUT_KINDS)}
_ALIGN_CLASSES = {"md-align-left", "md-align-center", "md-align-right"}
_CLASSES = {
    "div": {*_CALLOUT_CLASSES, "brain-table"},
    "details": _CALLOUT_CLASSES,
    "p": {"admonition-title"},
    "ul": {"contains-task-list"},
    "ol": {"contains-task-list"},
    "li": {"task-list-item"},
    "td": _ALIGN_CLASSES,
    "th": _ALIGN_CLASSES,
    "sup": {"footnote-ref"},
    "section": {"footnotes"},
    "a": {"footnote-backref", "brain-anchor"},
}


def _keep_own(_tag: str, attribute: str, value: str) -> str | None:
    """Ids and addresses must be this room's own. A slot never stands in an attribute: filled there, its quotes would end the value."""
    if attribute in {"id", "href"}:
        return value[1:] if value.startswith(OWN) and not NONCHARACTERS.search(value, 1) else None
    return None if NONCHARACTERS.search(value) else value


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    clean_content_tags=_DROPPED_WITH_CONTENT,
    attributes=_ATTRIBUTES,
    allowed_classes=_CLASSES,
    attribute_filter=_keep_own,
    url_schemes=set(),
    link_rel=None,
    strip_comments=True,
)


def clean_html(html: str) -> str:
    """Return balanced HTML that can do nothing but look like a document; slots pass as text."""
    return _CLEANER.clean(html)


_OWN = {
    **{tag: names | {"class"} for tag, names in _ATTRIBUTES.items()},
    "*": {"title", "lang", "dir", "class"},  # no id: the page itself has them, and what is shown a second time must not take them
    "a": {"href", "class", "rel"},
    "img": {"src", "alt", "width", "height", "loading"},
    "input": {"type", "disabled", "checked", "aria-label"},
    "pre": {"tabindex"},
    "video": {"src", "controls", "preload", "width", "height"},
    "audio": {"src", "controls", "preload"},
}
_BALANCER = nh3.Cleaner(
    tags=_TAGS | {"img", "input", "video", "audio"},
    clean_content_tags=_DROPPED_WITH_CONTENT,
    attributes=_OWN,
    url_schemes={"http", "https", "mailto", "tel", "sms", "geo", "xmpp", "irc", "ircs", "ftp", "sftp", "obsidian", "zotero", "matrix"},
    link_rel=None,
    strip_comments=True,
)


def balance_html(html: str) -> str:
    """Close what a cut left open, in a part of a page that was sanitised before and whose slots are filled."""
    return _BALANCER.clean(html)
