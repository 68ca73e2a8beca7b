"""What one run knows about a repo that the next one can take over. It saves time only: without it everything is worked out again."""

from msgspec import Struct, field

from indexer.model.finding import Finding
from indexer.model.graph import Address, Target


class Scores(Struct, frozen=True):
    """What is computed from the edges alone."""

    digest: str = ""
    """Of nodes and edges."""
    pagerank: dict[str, float] = field(default_factory=dict)
    communities: dict[str, int] = field(default_factory=dict)
    components: dict[str, int] = field(default_factory=dict)


class Picture(Struct, frozen=True):
    """What is known of a picture."""

    blob: str
    width: int = 0
    """In pixels, as is the height; 0 = cannot be told."""
    height: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height


class Known(Struct, frozen=True):
    """The last index of a repo."""

    names: str = ""
    """Digest of everything a link can be resolved by: paths, titles, aliases, tags, what is hidden."""
    blobs: dict[str, str] = field(default_factory=dict)
    """Page → blob id."""
    targets: dict[str, tuple[Target, ...]] = field(default_factory=dict)
    """Page → where its links lead."""
    assets: tuple[str, ...] = ()
    """Files that published pages use."""
    addresses: dict[str, Address] = field(default_factory=dict)
    scores: Scores = field(default_factory=Scores)
    renamed: list[Finding] = field(default_factory=list)
    """Findings about addresses."""
    verdicts: dict[str, str] = field(default_factory=dict)
    """Blob of an SVG that pages use → what it holds that may not be published; empty for nothing."""
    pictures: dict[str, Picture] = field(default_factory=dict)
    """Picture that pages use → how large it is."""
    withheld: tuple[str, ...] = ()
    """SVG files that are not published because of that."""
