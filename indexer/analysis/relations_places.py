"""Where pages lie: how near their folders are, and which page is the index of which. For `indexer.analysis.relations`; pure."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from indexer.analysis.names import fold, folder_of, is_index_name, stem

Line = npt.NDArray[np.float64]


class Places:
    """The folders of a list of pages."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._folders = [folder_of(path) for path in paths]
        names = sorted(set(self._folders))
        number = {name: index for index, name in enumerate(names)}
        self._of = np.array([number[name] for name in self._folders], dtype=np.int64)
        self._chains, self._depths = _chain_folders(names)
        # An index page stands for its folder: what is above it is the folder's parent.
        heads = [_is_head(path) for path in paths]
        above = [folder_of(name) if head else name for name, head in zip(self._folders, heads, strict=True)]
        self._above = np.array([number.get(name, -1) for name in above], dtype=np.int64)
        self._above[[index for index, (name, head) in enumerate(zip(self._folders, heads, strict=True)) if head and not name]] = -1
        self._heads = np.array(heads, dtype=bool)
        self._last: tuple[int, Line] | None = None

    def rate_nearness(self, page: int) -> Line:
        """Return for each page the folders it has in common with this one, as a share of the deeper path: 0 to 1."""
        folder = int(self._of[page])
        if self._last is None or self._last[0] != folder:
            common = (self._chains == self._chains[folder]).sum(axis=1) - (self._chains < 0)[:, self._chains[folder] < 0].sum(axis=1)
            near = common / np.maximum(np.maximum(self._depths, self._depths[folder]), 1)
            self._last = (folder, near[self._of])
        return self._last[1]

    def find_kin(self, page: int) -> npt.NDArray[np.bool_]:
        """Return for each page whether one of the two is the index of the folder that the other lies in."""
        kin: npt.NDArray[np.bool_] = self._heads & (self._of == self._above[page])
        if self._heads[page]:
            kin |= self._above == self._of[page]
        kin[page] = False
        return kin


def _is_head(path: str) -> bool:
    folder = folder_of(path).rsplit("/", 1)[-1]
    return is_index_name(path) or (folder != "" and fold(stem(path)) == fold(folder))


def _chain_folders(names: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return folder × depth → number of the folder above it at that depth (-1 below itself), and the depth of each."""
    paths = [name.split("/") if name else [] for name in names]
    known: dict[tuple[int, str], int] = {}
    chains = np.full((len(names), max((len(path) for path in paths), default=0)), -1, dtype=np.int64)
    for row, path in enumerate(paths):
        parent = -1
        for depth, part in enumerate(path):
            parent = known.setdefault((parent, part), len(known))
            chains[row, depth] = parent
    return chains, np.array([len(path) for path in paths], dtype=np.int64)
