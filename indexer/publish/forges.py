"""Addresses of a repo's files on its forge: to see one, to change one, to begin one (SPEC P08, P11). Pure.

Used by `indexer.publish.jobs` and `report_values`. The forms are those that each forge documents; where one has none, the address is empty.
"""

from urllib.parse import quote, urlencode

from indexer.model.snapshot import Origin

_LONGEST_ADDRESS = 6_000
"""Characters of an address that forges and browsers surely take; beyond it the text is left out."""


def _file(origin: Origin, path: str) -> str:
    return quote("/".join(part for part in (origin.folder, path) if part), errors="surrogateescape")


def edit_url(origin: Origin, path: str) -> str:
    """Address at which the forge proposes a change of the file; empty when the forge is unknown."""
    branch, file = quote(origin.branch), _file(origin, path)
    if not (origin.web and branch):
        return ""
    forms = {"github": "edit/{}/{}", "gitlab": "-/edit/{}/{}", "gitea": "_edit/{}/{}", "pagure": "edit_file/{}/f/{}"}
    form = forms.get(origin.kind)
    return f"{origin.web}/{form.format(branch, file)}" if form else ""


def source_url(origin: Origin, path: str, revision: str | None) -> str:
    """Address of the file at the built revision on the forge; empty when the forge is unknown."""
    if not origin.web or not revision:
        return ""
    file = _file(origin, path)
    forms = {
        "github": f"blob/{revision}/{file}?plain=1",
        "gitlab": f"-/blob/{revision}/{file}?plain=1",
        "gitea": f"src/commit/{revision}/{file}",
        "pagure": f"blob/{revision}/f/{file}",
    }
    form = forms.get(origin.kind)
    return f"{origin.web}/{form}" if form else ""


def start_url(origin: Origin, path: str, text: str, *, exists: bool = False) -> str:
    """Address at which the forge opens an editor for the new file; empty when the forge is unknown or has no such page.

    `path` is relative to the content root. A file that `exists` without text is edited instead.
    """
    if exists:
        return edit_url(origin, path)
    if not (origin.web and origin.branch):
        return ""
    branch = quote(origin.branch)
    file = "/".join(part for part in (origin.folder, path) if part)
    folder, _, name = file.rpartition("/")
    match origin.kind:
        case "github":
            return _with_text(f"{origin.web}/new/{branch}", {"filename": file}, text)
        case "gitea":
            place = f"/{quote(folder, errors='surrogateescape')}" if folder else ""
            return _with_text(f"{origin.web}/_new/{branch}{place}", {"filename": name}, text)
        case "gitlab":  # its editor takes the name and ignores a text
            return _with_text(f"{origin.web}/-/new/{branch}", {"file_name": file}, "")
    return ""


def _with_text(base: str, query: dict[str, str], text: str) -> str:
    short = f"{base}?{_encode(query)}"
    if not text:
        return short
    long = f"{base}?{_encode({**query, 'value': text})}"
    return long if len(long) <= _LONGEST_ADDRESS else short


def _encode(query: dict[str, str]) -> str:
    return urlencode(query, quote_via=quote, errors="surrogateescape")
