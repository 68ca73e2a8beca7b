"""A workspace as a product with customers has one (SPEC S15): each customer is a member with a home, all read the house rules.

Two customers have the same brain, but for its parent: that of `ann` is in a repo that she does not reach, that of `bob` does not exist.
"""

from pathlib import Path

from tests.tools.desks import write_workspace

CANARY = "Zanzibarquartz"
"""Stands in every page of the repo that no customer reaches, and in hidden pages of repos that they do reach."""

_CARD = "---\ntitle: Shop\nblueprint: site@1\nparent: {parent}\n---\nThe shop of a customer.\n"
_CHECKED = "---\nsummary: What it is.\nowner: Ann\nchecked: 2026-11-01\ncheckedBy: Ann\nprice: {price}\n---\n# Page\n\nA word on {word}.\n"

DECLARED = {
    "accounts": [{"id": account, "name": account.title()} for account in ("ada", "sam", "ann", "bob", "cyd", "olga", "gone")],
    "agents": [{"id": "bot", "name": "Bot"}],
    "memberships": [
        {"account": "ada", "role": "admin"},
        {"account": "sam", "role": "staff"},
        {"account": "ann"},
        {"account": "bob"},
        {"account": "cyd"},
        {"account": "olga", "role": "operator"},
        {"account": "gone", "status": "ended"},
    ],
    "repos": [
        *(
            {"id": f"{account}-home", "title": account, "folder": account, "owner": account, "kind": "home"}
            for account in ("ann", "bob", "cyd")
        ),
        {
            "id": "rules",
            "title": "House rules",
            "folder": "rules",
            "owner": "ada",
            "grants": [{"to": account, "access": "read"} for account in ("ann", "bob", "cyd", "gone")],
        },
        {"id": "board", "title": "Board", "folder": "board", "owner": "ada", "grants": [{"to": "bot", "access": "read"}]},
    ],
}
FILES = {
    "ann/shop/brain.md": _CARD.format(parent="board/plans"),
    "bob/shop/brain.md": _CARD.format(parent="board/nowhere"),
    "cyd/shop/brain.md": _CARD.format(parent="rules/house"),
    **{f"{account}/shop/offer.md": _CHECKED.format(price="10", word="violins") for account in ("ann", "bob", "cyd")},
    **{f"{account}/shop/notes.md": f"Private words of {account}.\n" for account in ("ann", "bob", "cyd")},
    **{f"{account}/shop/hidden.md": f"---\npublish: false\n---\n{CANARY} of {account}.\n" for account in ("ann", "bob", "cyd")},
    "rules/house/brain.md": "---\ntitle: House rules\nblueprint: business@1\n---\nWhat every customer may read.\n",
    "rules/house/pricing.md": _CHECKED.format(price="12", word="prices"),
    "rules/readme.md": "# Rules\n\nOutside of any brain.\n",
    "rules/secret.md": f"---\nprivate: true\n---\n{CANARY}\n",
    "rules/drafts/brain.md": f"---\ntitle: {CANARY}\nblueprint: site@1\ndraft: true\n---\n{CANARY}\n",
    "board/plans/brain.md": f"---\ntitle: {CANARY}\nblueprint: business@1\n---\n{CANARY}\n",
    "board/plans/pricing.md": _CHECKED.format(price="99", word=CANARY),
}


def write_customers(root: Path) -> Path:
    """Write the workspace and return its folder."""
    return write_workspace(root, "shop", DECLARED, FILES)
