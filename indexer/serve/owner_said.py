"""What happened, told on the page that comes after a change. Used by the owner's pages.

The sentence's name and its words travel in the address, with a seal that only this asker's session can have made: nobody can have the
gateway say something by sending a link.
"""

import hmac
from urllib.parse import urlencode

from starlette.requests import Request

from indexer.serve.answers import Answer, redirect
from indexer.serve.context import Gateway, Visit
from indexer.serve.who import Asker, derive_token

SENTENCES = {
    "reads": "{} can read this repo now.",
    "writes": "{} can read and write this repo now.",
    "as-before": "{} had exactly that access already; nothing was changed.",
    "revoked": "What you gave {} is taken back. It counts no more from the next request on.",
    "archived": "This repo is archived. Nobody reaches it now, you included, until you bring it back.",
    "restored": "This repo is back, with the same people and agents as before.",
    "created": "{} is created and yours. Nobody else reaches it.",
    "registered": "{} is registered. Nobody but {} reaches it.",
    "home": "Your personal repo {} is created. Nobody else reaches it.",
    "home-there": "You have a personal repo already: {}.",
}
_SEPARATOR = "\x1f"
_LONGEST = 1000


def tell(request: Request, address: str, sentence: str, *words: str) -> Answer:
    """Return the redirect after a change, to a page that says one of SENTENCES."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    said = _SEPARATOR.join((sentence, *words))
    return redirect(f"{address}?{urlencode({'said': said, 'seal': _seal(gateway, visit.asker, said)})}")


def read_said(request: Request) -> str:
    """Return the sentence that the address asks for; empty when there is none or its seal is not of this session."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    said, seal = request.query_params.get("said", ""), request.query_params.get("seal", "")
    if not said or len(said) > _LONGEST or not visit.asker.is_person:
        return ""
    if not hmac.compare_digest(seal.encode("utf-8", "replace"), _seal(gateway, visit.asker, said).encode()):
        return ""
    sentence, *words = said.split(_SEPARATOR)
    text = SENTENCES.get(sentence, "")
    return text.format(*words) if text.count("{}") == len(words) else ""


def _seal(gateway: Gateway, asker: Asker, said: str) -> str:
    return derive_token(gateway.settings, asker, f"said {said}")[:32]
