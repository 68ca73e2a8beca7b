"""The routes of the owner's pages, for `home`."""

from starlette.routing import BaseRoute, Route

from indexer.serve.home_page import REPOS
from indexer.serve.owner import lead_to_form, show_new, show_own, show_repo
from indexer.serve.owner_changes import archive, create, grant, open_own_home, register, restore, revoke

_OWN, _ONE = f"{REPOS}/{{tenant}}/", f"{REPOS}/{{tenant}}/{{repo}}/"


def owner_routes() -> list[BaseRoute]:
    """Return the routes. Those of a repo have a slash more than the others, so no repo's id can be in their way."""
    forms = {
        f"{_OWN}existing": register,
        f"{_OWN}home": open_own_home,
        f"{_ONE}grant": grant,
        f"{_ONE}revoke": revoke,
        f"{_ONE}archive": archive,
        f"{_ONE}restore": restore,
    }
    return [
        Route(_OWN, show_own, methods=["GET"]),
        Route(f"{_OWN}new", show_new, methods=["GET"]),
        Route(f"{_OWN}new", create, methods=["POST"]),
        Route(_ONE, show_repo, methods=["GET"]),
        *(Route(path, change, methods=["POST"]) for path, change in forms.items()),
        *(Route(path, lead_to_form, methods=["GET"]) for path in forms),
    ]
