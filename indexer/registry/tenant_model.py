"""The shape of tenant.yml: one strict model per list in it. What one value says of another is checked in `tenant_rules`.

Used by `tenant_file`, which reads the file, and by the registry, which applies it. Nothing here reads or decides.
"""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from indexer.registry.address import parse_address, parse_branch, parse_folder
from indexer.registry.declared_shape import CONTROL, Declared, check_line
from indexer.registry.names import DEVICES

EVERYONE = "everyone"
ID_PATTERN = r"^[a-z0-9][a-z0-9-]{0,62}$"
ROUTES = frozenset({"_", "search", "api", "mcp", "assets", "healthz", "login", "logout", "home", "static", "well-known"})
"""First parts of addresses that the gateway keeps for itself."""
RESERVED_IDS = ROUTES | DEVICES | {EVERYONE}

_MAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")


def _check_id(text: str) -> str:
    if text in RESERVED_IDS:
        raise ValueError(f"`{text}` is reserved; choose another id")
    return text


def _check_name(text: str) -> str:
    # It becomes the author of commits, where these two signs enclose the address.
    if "<" in text or ">" in text:
        raise ValueError("must not hold `<` or `>`")
    return check_line(text)


def _check_mail(text: str) -> str:
    if not _MAIL.fullmatch(text) or CONTROL.search(text):
        raise ValueError("must be one e-mail address")
    return text


def check_url(text: str) -> str:
    """Return the address of a website without slashes at its end; ValueError for what is none."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"https", "http"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable or parts.username is not None or parts.query or parts.fragment or CONTROL.search(text) or " " in text:
        raise ValueError("must be an address such as `https://brains.example.org`, without user, `?` and `#`")
    return text.rstrip("/")


def _check_address(text: str) -> str:
    return parse_address(text).text


Id = Annotated[str, Field(pattern=ID_PATTERN, json_schema_extra={"not": {"enum": sorted(RESERVED_IDS)}}), AfterValidator(_check_id)]
Line = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(check_line)]
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_name)]


class Account(Declared):
    """A person."""

    id: Id
    """Unique among the accounts and agents of the tenant; never used again for somebody else."""
    name: Name
    """Shown to others, and the author of that person's commits."""
    email: Annotated[str, Field(max_length=254), AfterValidator(_check_mail)] | None = None
    """By which the sign-in knows that person."""


class Agent(Declared):
    """A program that acts for itself or for a person."""

    id: Id
    """Unique among the accounts and agents of the tenant."""
    name: Name
    """Shown to others."""


class Membership(Declared):
    """That an account belongs to the tenant."""

    account: Id
    """One of `accounts`."""
    role: Literal["operator", "admin", "staff", "member"] = "member"
    """What that person may do in the tenant; an operator runs the installation."""
    status: Literal["active", "ended"] = "active"
    """`ended` takes every access away and keeps the record."""


class Grant(Declared):
    """That somebody other than the owner may reach a repo."""

    to: Annotated[str, Field(pattern=ID_PATTERN)]
    """Id of an account or agent, or `everyone`: all active members, now and later."""
    access: Literal["read", "write"]
    """Write includes read."""


class Repo(Declared):
    """One repository, or folder of one: what is indexed, published and granted as a whole."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["folder"]}, {"required": ["address", "branch"]}],
            "dependentRequired": {"address": ["branch"], "branch": ["address"]},
        }
    )

    id: Id
    """Unique in the tenant; part of the addresses of its pages."""
    title: Line
    """Shown to readers."""
    owner: Id
    """Account that grants and revokes."""
    folder: Annotated[str, Field(max_length=1000), AfterValidator(parse_folder)] | None = None
    """Without `address`: the content's folder below that of tenant.yml. With `address`: the folder inside that repository; none = all."""
    address: Annotated[str, Field(max_length=1000), AfterValidator(_check_address)] | None = None
    """`https://host/owner/name`, `ssh://user@host/path` or `user@host:path`, without a credential."""
    branch: Annotated[str, AfterValidator(parse_branch)] | None = None
    """Branch of the repository at `address`."""
    kind: Literal["home", "shared"] = "shared"
    """`home`: the personal one of its owner."""
    kept_as_is: bool = False
    """Nothing is written to it but what was asked for, and its maps are never refreshed."""
    status: Literal["active", "archived"] = "active"
    """An archived repo is reached by nobody."""
    grants: tuple[Grant, ...] = ()
    """Who else may reach it."""


class TenantFile(Declared):
    """One tenant: the wall that nothing passes."""

    id: Id
    """Name of the folder that holds the file."""
    title: Line
    """Shown to readers."""
    url: Annotated[str, Field(max_length=1000), AfterValidator(check_url)] | None = None
    """Address at which the tenant's sites are served."""
    accounts: tuple[Account, ...] = ()
    """People."""
    agents: tuple[Agent, ...] = ()
    """Programs."""
    memberships: tuple[Membership, ...] = ()
    """Which accounts belong to the tenant, and as what."""
    repos: tuple[Repo, ...] = ()
    """What there is to read."""

    def find_grantee_kind(self, grant: Grant) -> Literal["everyone", "account", "agent"]:
        """Return what kind of grantee a grant of this file names."""
        if grant.to == EVERYONE:
            return "everyone"
        return "agent" if any(agent.id == grant.to for agent in self.agents) else "account"


MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): TenantFile,
    ("accounts",): Account,
    ("agents",): Agent,
    ("memberships",): Membership,
    ("repos",): Repo,
    ("repos", "grants"): Grant,
}
"""Keys on the way (positions left out) → what lies there."""
