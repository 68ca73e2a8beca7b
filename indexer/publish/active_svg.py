"""What an SVG may not hold when it is published: whatever runs, or loads something from elsewhere (THREATS 19). Pure.

The picture of a drawing program passes; a program in the clothes of a picture does not. What is not well-formed does not pass either, for
browsers run the scripts they meet before the mistake. Used by `attachments`.
"""

import re
from xml.parsers import expat

_ELEMENTS = frozenset({"script", "foreignobject", "iframe", "embed", "object", "handler", "listener", "audio", "video", "meta", "base"})
_ANIMATIONS = frozenset({"set", "animate", "animatetransform", "animatemotion", "animatecolor"})
_ADDRESSES = frozenset({"href", "src", "data", "action", "formaction", "to", "from", "values", "by", "poster"})
_SAFE_LINKS = ("http:", "https:", "mailto:")
_SAFE_DATA = re.compile(r"data:(?:image/(?:png|jpeg|jpg|gif|webp|avif)|font/|application/(?:x-)?font|application/vnd\.ms-fontobject)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
_IGNORED = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]")
_CSS_ADDRESS = re.compile(r"""url\(\s*["']?([^"')]*)|@import\s*["']?([^"';]*)""", re.IGNORECASE)


class _ActiveContentError(ValueError):
    """Ends the reading of one file; its text is the reason."""


def find_active_content(data: bytes) -> str:
    """Return what makes an SVG unfit to be published, a few words; empty when nothing does."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    style: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        _check_element(name, attributes)
        if _local(name) == "style":
            style.append("")

    def characters(text: str) -> None:
        if style:
            style[-1] += text

    def end(name: str) -> None:
        if _local(name) == "style" and style:
            _check_css(style.pop())

    def instruction(target: str, _: str) -> None:
        raise _ActiveContentError(f"the instruction <?{target}?>")

    def entity(name: str, _parameter: bool, value: str | None, *_: str | None) -> None:
        if value is None or "<" in value or "&" in value:
            raise _ActiveContentError(f"the entity &{name};")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.ProcessingInstructionHandler = instruction
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(data, True)
    except _ActiveContentError as reason:
        return str(reason)
    except (expat.ExpatError, ValueError, LookupError):
        return "XML that is not well-formed"
    return ""


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _check_element(name: str, attributes: dict[str, str]) -> None:
    element = _local(name)
    if element in _ELEMENTS:
        raise _ActiveContentError(f"<{element}>")
    for key, value in attributes.items():
        attribute = _local(key)
        if attribute.startswith("on"):
            raise _ActiveContentError(f"the attribute {attribute}")
        if element in _ANIMATIONS and attribute == "attributename" and _is_active_target(value):
            raise _ActiveContentError(f"<{element}> of {_local(value.strip())}")
        if attribute in _ADDRESSES and not key.lower().startswith("xmlns"):
            _check_address(value, is_link=element == "a")
        else:
            _check_css(value)


def _is_active_target(value: str) -> bool:
    target = _local(value.strip())
    return target.startswith("on") or target in {"href", "src"}


def _check_address(value: str, *, is_link: bool) -> None:
    plain = _IGNORED.sub("", value).lower()
    if plain.startswith(("//", "\\", "/\\")):
        raise _ActiveContentError("a reference to another site")
    scheme = _SCHEME.match(plain)
    if scheme is None or (is_link and plain.startswith(_SAFE_LINKS)) or _SAFE_DATA.match(plain):
        return
    raise _ActiveContentError("a reference to another site" if scheme[0] in {"http:", "https:"} else f"a `{scheme[0]}` address")


def _check_css(text: str) -> None:
    if "\\" in text and ("url" in text.lower() or "import" in text.lower() or "@" in text):
        raise _ActiveContentError("a style with escapes")
    for match in _CSS_ADDRESS.finditer(text):
        _check_address(match[1] or match[2] or "", is_link=False)
