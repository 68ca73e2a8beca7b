"""The gateway's short pages: nothing here, not now, signed in to nobody. Rendered once; nothing of a request is ever in them."""

from html import escape

from indexer.serve.answers import Answer, html_answer


def render_notice(title: str, text: str, link: tuple[str, str] | None = None) -> bytes:
    """Return a small page with a heading, a sentence and perhaps a link (address, words)."""
    # The link alone may tell the sign-in which page was asked for; no other server ever hears of it.
    line = f'<p><a href="{escape(link[0])}" referrerpolicy="same-origin" rel="nofollow">{escape(link[1])}</a></p>' if link else ""
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"</head><body><main><h1>{escape(title)}</h1><p>{escape(text)}</p>{line}</main></body></html>\n"
    ).encode()


def make_notice(
    status: int, title: str, text: str, link: tuple[str, str] | None = None, headers: tuple[tuple[bytes, bytes], ...] = ()
) -> Answer:
    """Return such a page as an answer."""
    return html_answer(status, render_notice(title, text, link), headers)


SIGN_IN, HOME = ("/-/login", "Sign in"), ("/", "Home")

NOT_FOUND = make_notice(404, "Not found", "There is nothing at this address, or it is not shared with you.", SIGN_IN)
"""The one answer for what is hidden and for what does not exist, whoever asks and however (SPEC S11, THREATS 28)."""
UNAVAILABLE = make_notice(
    503,
    "Not available now",
    "Who may read what cannot be decided at the moment, so nothing is shown. Try again later.",
    headers=((b"retry-after", b"10"),),
)
"""The one answer while the registry cannot be asked."""
MISDIRECTED = make_notice(421, "Wrong name", "This server does not answer to the name that was asked for.")
BROKEN = make_notice(500, "Something went wrong", "This is a mistake in the program. The request id of this answer is in its log.")
