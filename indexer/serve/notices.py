"""The gateway's short pages: nothing here, not now, signed in to nobody. Rendered once; nothing of a request is ever in them.

Their style stands in the page and is allowed by its digest: they also have to look like something when nothing else can be answered.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape

from indexer.serve.answers import Answer, html_answer

_STYLE = (
    ":root{color-scheme:light dark;--text:#16181d;--quiet:#5a6270;--link:#4338ca;--paper:#fff}"
    "@media(prefers-color-scheme:dark){:root{--text:#f2f3f5;--quiet:#a2a9b4;--link:#a5b4fc;--paper:#111317}}"
    "body{margin:0;background:var(--paper);color:var(--text);font:1rem/1.6 Inter,system-ui,sans-serif}"
    "main{max-width:36rem;margin:18vh auto 0;padding:0 1.25rem}h1{margin:0 0 .5rem;font-size:1.9rem;line-height:1.2}"
    "p{margin:0 0 1rem;color:var(--quiet)}a{color:var(--link);font-weight:600}"
)
_DIGEST = b64encode(sha256(_STYLE.encode()).digest())
_POLICY = b"default-src 'none'; style-src 'sha256-" + _DIGEST + b"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def render_notice(title: str, text: str, link: tuple[str, str] | None = None) -> bytes:
    """Return a small page with a heading, a sentence and perhaps a link (address, words)."""
    # The link alone may tell the sign-in which page was asked for; no other server ever hears of it.
    line = f'<p><a href="{escape(link[0])}" referrerpolicy="same-origin" rel="nofollow">{escape(link[1])}</a></p>' if link else ""
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1><p>{escape(text)}</p>{line}</main></body></html>\n"
    ).encode()


def make_notice(
    status: int, title: str, text: str, link: tuple[str, str] | None = None, headers: tuple[tuple[bytes, bytes], ...] = ()
) -> Answer:
    """Return such a page as an answer."""
    return html_answer(status, render_notice(title, text, link), ((b"content-security-policy", _POLICY), *headers))


SIGN_IN, HOME = ("/-/login", "Sign in"), ("/", "Home")

NOT_FOUND = make_notice(404, "Not found", "There is nothing at this address, or it is not shared with you.", SIGN_IN)
"""The one answer for what is hidden and for what does not exist, whoever asks and however (SPEC S11, THREATS 28)."""
SIGNED_OUT = make_notice(
    403,
    "You are signed out",
    "Nothing was changed, for you are not signed in, or your session has ended. Sign in, open the form again, and send it once more.",
    SIGN_IN,
)
"""The one answer to forms of strangers, whatever they are about."""
UNAVAILABLE = make_notice(
    503,
    "Not available now",
    "Who may read what cannot be decided at the moment, so nothing is shown. Try again later.",
    headers=((b"retry-after", b"10"),),
)
"""The one answer while the registry cannot be asked."""
MISDIRECTED = make_notice(421, "Wrong name", "This server does not answer to the name that was asked for.")
BROKEN = make_notice(500, "Something went wrong", "This is a mistake in the program. The request id of this answer is in its log.")
