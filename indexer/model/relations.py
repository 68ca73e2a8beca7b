"""What belongs together though no link says so (DESIGN, Relations): related pages, mentions without a link, near-copies."""

from collections.abc import Mapping

from msgspec import Struct, field


class Mention(Struct, frozen=True):
    """One page spoken of by another that does not link to it."""

    path: str
    """The page that speaks."""
    line: int
    """1-based line of the first mention; of its section's heading where the source writes the words otherwise than readers see them."""
    words: str
    """As they stand in the text, white space folded."""
    target: str
    """The page meant."""
    times: int
    """How often, with whatever of its names."""


class Copies(Struct, frozen=True):
    """Pages that are copies of one."""

    path: str
    """The first by path."""
    others: tuple[tuple[str, float], ...]
    """(page, share of the words it has in common with the first), by path; 1.0 = the same words as often."""


class Relations(Struct, frozen=True):
    """The relations between the published pages of one repo."""

    related: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    """Page → at most ten others, best first, with a likeness from 0 to 1; linked pages and copies are left out."""
    mentions: tuple[Mention, ...] = ()
    """Sorted by path, line and target."""
    copies: tuple[Copies, ...] = ()
    """By path."""
    waiting: str = ""
    """Why relations could not be found and have to wait (T32); empty when they are complete."""
