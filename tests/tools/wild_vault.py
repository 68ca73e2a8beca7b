"""A vault under random edits: what people do to their pages between two builds. The same seed gives the same edits.

Used by the tests that compare a build after edits with a fresh one. It knows only paths and bytes; who commits and builds is the caller.
"""

import random
from collections.abc import Callable
from unicodedata import normalize

from tests.tools.vaults import PNG, Link

_FOLDERS = ["", "", "notes/", "notes/deep/", "Projects/", "projects/", "work/", "a b/", "ünï/", normalize("NFD", "ünï/")]
_STEMS = [
    "index",
    "README",
    "a",
    "A",
    "b",
    "plan",
    "Plan",
    "plan-2",
    "é",
    normalize("NFD", "é"),
    "C# x",
    "50% done",
    "日本",
    "tags",
    "one two",
]
_TITLES = ["Home", "Plan", "The Plan", "Alpha", "A <b>", "日本語", "Plan", "a", "index", "Über uns", "x | y", "2024", "Fair trade coffee"]
_WORDS = [
    "Fair trade coffee",
    "zebra",
    "The Plan",
    "roast",
    "beans",
    "Über uns",
    "naïve",
    "x_y",
    "snake_case",
    "日本語",
    "CO2",
    "grinder",
    "cup",
]
_HEADINGS = ["Part", "Part", "part two", "日本", "Questions?", "1. First", "`code`", "Roast *well*"]
_TAGS = ["x", "X", "y/z", "y", "日本", "long-tag/with/parts", "a"]
_RINGS = ["Public Context", "Organisational Knowledge", "Flow"]
_DOCUMENTS = ["home", "visitors", "offer", "prices", "people", "questions", "voice", "own"]
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="10">{1}<rect width="{0}" height="10"/></svg>'

Content = str | bytes


class WildVault:
    """Files that change at random; `files` is what they are now."""

    def __init__(self, seed: int, *, repos: tuple[str, ...] = ("vault",)) -> None:
        self.random = random.Random(seed)
        self.files: dict[str, Content] = {}
        self._repos = repos
        """Ids that cards may name as the place of a parent."""
        for _ in range(self.random.choice([3, 12, 25, 25, 60])):
            self.add()
        if self.random.random() < 0.25:
            # More pages link to one than its own page shows.
            name = self.random.choice(_STEMS)
            self.files |= {
                f"fan/f{number:02d}.md": f"# Fan {number}\n\n[[{name}]] #fan\n" for number in range(self.random.choice([16, 41, 70]))
            }

    def edit(self, times: int = 1) -> list[str]:
        """Edit so many times and return what was done."""
        done = []
        for _ in range(times):
            act = self.random.choices(*zip(*self._acts(), strict=True))[0]
            before = len(self.files)
            act()
            done.append(f"{act.__name__} ({before} → {len(self.files)} files)")
        if not self._pages():
            self.add()
        return done

    def _acts(self) -> list[tuple[Callable[[], None], int]]:
        return [
            (self.add, 3),
            (self.change_text, 4),
            (self.change_front, 4),
            (self.change_title, 2),
            (self.change_heading, 2),
            (self.swap_word, 2),
            (self.remove, 3),
            (self.move, 3),
            (self.change_case, 1),
            (self.move_folder, 1),
            (self.swap_pages, 1),
            (self.copy, 1),
            (self.change_picture, 2),
            (self.change_card, 2),
            (self.change_document, 3),
            (self.change_link, 1),
            (self.spoil, 1),
            (self.toggle_hidden, 3),
            (self.change_date_only, 1),
        ]

    def _pages(self) -> list[str]:
        return sorted(path for path in self.files if path.lower().endswith((".md", ".markdown")))

    def _pick(self) -> str:
        return self.random.choice(self._pages() or [self._add_index()])

    def _add_index(self) -> str:
        self._put("index.md", "# Home\n")
        return "index.md"

    def _name(self) -> str:
        return self.random.choice(_FOLDERS) + self.random.choice(_STEMS) + self.random.choice([".md", ".md", ".md", ".markdown"])

    def _put(self, path: str, content: Content) -> bool:
        """Write a file unless a folder stands there, or a file where its folder would have to be."""
        parts = path.split("/")
        above = {"/".join(parts[:length]) for length in range(1, len(parts))}
        if above & self.files.keys() or any(other.startswith(path + "/") for other in self.files):
            return False
        self.files[path] = content
        return True

    def _link(self) -> str:
        choice = self.random.choice
        target = choice([path.removesuffix(".md") for path in self.files] or ["a"])
        stem = choice([target, target.rpartition("/")[2], choice(_STEMS), choice(_TITLES), choice(_FOLDERS) + choice(_STEMS), "gone"])
        part = choice(["", "", "", f"#{choice(_HEADINGS)}", "#^k1"])
        picture = choice(["pic.png", "art.svg", "notes/pic.png", "data.csv", "hidden.png"])
        return choice(
            [
                f"[[{stem}{part}]]",
                f"[[{stem}{part}|words]]",
                f"![[{stem}{part}]]",
                f"[x]({stem.replace(' ', '%20')}.md)",
                f"[x](../{stem.replace(' ', '%20')}.md{part.replace(' ', '-')})",
                f"[x](/{stem.replace(' ', '%20')}/)",
                f"![[{picture}]]",
                f"![[{picture}|40]]",
                f"![p]({picture})",
                f"[file]({picture})",
                f"[r][r]\n\n[r]: {stem.replace(' ', '%20')}.md",
                f"<a href='{stem.replace(' ', '%20')}.md'>h</a>",
            ]
        )

    def _body(self) -> str:
        makers = self.random.choices(self._makers(), k=self.random.randint(0, 5))
        return "\n\n".join(make() for make in makers)

    def _makers(self) -> list[Callable[[], str]]:
        choice = self.random.choice
        return [
            self._link,
            self._link,
            lambda: " ".join(self.random.choices(_WORDS, k=8)),
            lambda: f"#{choice(_TAGS)}",
            lambda: f"{'#' * self.random.randint(2, 4)} {choice(_HEADINGS)}\n\n{choice(_WORDS)} {self._link()}",
            lambda: f"A paragraph {choice(_WORDS)} ^k1",
            lambda: "> [!note] Take care\n> " + self._link(),
            lambda: f"%% {choice(_WORDS)} {self._link()} %%",
            lambda: "```mermaid\ngraph TD\n```",
            lambda: "$x^2$",
            lambda: f"```python\nx = '{choice(_WORDS)}'\n```",
            lambda: f"- [ ] {choice(_WORDS)}\n- [x] {self._link()}",
            lambda: f"| a | b |\n|---|---|\n| {choice(_WORDS)} | {choice(_WORDS)} |",
            lambda: f"foot[^1]\n\n[^1]: {choice(_WORDS)} {self._link()}",
        ]

    def _front(self) -> str:
        choice = self.random.choice
        lines = self.random.sample(
            [
                f"title: {choice(_TITLES)!r}",
                f"aliases: [{choice(_TITLES)!r}, {choice(_STEMS)!r}]",
                f"tags: [{choice(_TAGS)}, {choice(_TAGS)}]",
                f"summary: {choice(_WORDS)}",
                f"order: {self.random.randint(0, 5)}",
                f"owner: {choice(['Ada', 'Mara'])}",
                f"lang: {choice(['de', 'ar', 'ja', 'en'])}",
                f"date: 2024-0{self.random.randint(1, 9)}-10",
                choice(["draft: true", "private: true", "publish: false", "private: maybe"]),
                f"checked: 2026-0{self.random.randint(1, 3)}-1{self.random.randint(0, 9)}",
            ],
            self.random.choice([0, 0, 1, 1, 2, 3]),
        )
        return f"---\n{chr(10).join(lines)}\n---\n" if lines else ""

    def _text(self) -> str:
        title = self.random.choice(["", f"# {self.random.choice(_TITLES)}\n\n", f"# {self.random.choice(_TITLES)}\n\n"])
        return self._front() + title + self._body() + "\n"

    def _read(self, path: str) -> str:
        content = self.files[path]
        return content if isinstance(content, str) else content.decode("utf-8", "replace")

    def add(self) -> None:
        """Write a page."""
        self._put(self._name(), self._text())

    def change_text(self) -> None:
        """Add to a page."""
        path = self._pick()
        self.files[path] = self._read(path) + "\n" + self._body() + "\n"

    def change_front(self) -> None:
        """Give a page another frontmatter."""
        path = self._pick()
        self.files[path] = self._front() + self._read(path).rpartition("---\n")[2]

    def toggle_hidden(self) -> None:
        """Hide a page, or publish it."""
        path = self._pick()
        text = self._read(path)
        hidden = "---\ndraft: true\n---\n"
        self.files[path] = text.removeprefix(hidden) if text.startswith(hidden) else hidden + text

    def change_title(self) -> None:
        """Give a page another first heading."""
        path = self._pick()
        text = self._read(path)
        self.files[path] = f"# {self.random.choice(_TITLES)}\n\n" + text if not text.startswith("---") else text + "\n# Late\n"

    def change_heading(self) -> None:
        """Rename a heading that others may quote or link to."""
        path = self._pick()
        self.files[path] = self._read(path).replace(f"# {self.random.choice(_HEADINGS)}\n", f"# {self.random.choice(_HEADINGS)}\n", 1)

    def swap_word(self) -> None:
        """Say something with another word."""
        path = self._pick()
        self.files[path] = self._read(path).replace(self.random.choice(_WORDS), self.random.choice(_WORDS))

    def remove(self) -> None:
        """Remove any file."""
        if len(self._pages()) > 1:
            del self.files[self.random.choice(sorted(self.files))]

    def move(self) -> None:
        """Move a page, with a word changed sometimes."""
        path = self._pick()
        content = self.files.pop(path)
        if self.random.random() < 0.3:
            content = self._text() + (content if isinstance(content, str) else "")
        if not self._put(self._name(), content):
            self.files[path] = content

    def change_case(self) -> None:
        """Rename a page by its letter case alone."""
        path = self._pick()
        folder, slash, name = path.rpartition("/")
        stem, dot, end = name.rpartition(".")
        content = self.files.pop(path)
        if not self._put(folder + slash + stem.swapcase() + dot + end, content):
            self.files[path] = content

    def move_folder(self) -> None:
        """Move a folder."""
        folders = sorted({path.rpartition("/")[0] + "/" for path in self.files if "/" in path})
        if not folders:
            return
        old, new = self.random.choice(folders), self.random.choice(["moved/", "notes/moved/", "", "Projects/", "archive/2024/"])
        for path in [path for path in self.files if path.startswith(old)]:
            content = self.files.pop(path)
            if not self._put(new + path.removeprefix(old), content):
                self.files[path] = content

    def swap_pages(self) -> None:
        """Let two pages change places."""
        one, two = self._pick(), self._pick()
        self.files[one], self.files[two] = self.files[two], self.files[one]

    def copy(self) -> None:
        """Copy a page."""
        self._put(self._name(), self.files[self._pick()])

    def change_picture(self) -> None:
        """Add, change or spoil a file that is no page."""
        name = self.random.choice(["pic.png", "art.svg", "notes/pic.png", "data.csv", "a/b.png", "hidden.png"])
        active = self.random.choice(["", "", "<script>alert(1)</script>"])
        svg = _SVG.format(self.random.randint(1, 99), active)
        kinds: list[Content] = [PNG, PNG + b"\0", svg, "a,b\n1,2\n", b"\xff\xfe", "version https://git-lfs.github.com/spec/v1\n"]
        self._put(name, self.random.choice(kinds))

    def change_card(self) -> None:
        """Make a folder a brain, give its card other differences or another parent, or take it away."""
        folder = self.random.choice(["site/", "notes/", "work/inner/", "site/sub/"])
        path = folder + "brain.md"
        if path in self.files and self.random.random() < 0.3:
            del self.files[path]
            return
        choice = self.random.choice
        lines = [f"blueprint: {choice(['site@1', 'site@1', 'business@1', 'own@1', 'none@9'])}"]
        if choice([True, False]):
            lines.append(f"parent: {choice(self._repos)}{choice(['', '/site', '/notes', '/work/inner', '/gone'])}")
        if choice([True, False]):
            lines.append(f"title: {choice(_TITLES)!r}")
        if choice([True, False]):
            lines.append(f"drop:\n  - id: {choice(_DOCUMENTS)}\n    reason: Not here.")
        if choice([True, False]):
            added = f"id: own\n    title: {choice(_TITLES)!r}\n    ring: {choice(_RINGS)}\n    deepens: [{self.random.randint(1, 20)}]"
            lines.append(f"add:\n  - {added}\n    outOfDateAfterDays: {choice([5, 40, 365])}\n    asks: What?\n    reason: So.")
        self._put(path, "---\n" + "\n".join(lines) + "\n---\n" + self._body() + "\n")

    def change_document(self) -> None:
        """Write a document of a brain, check it, decline it, or empty it."""
        folders = [path.removesuffix("brain.md") for path in self.files if path.endswith("brain.md")]
        folder = self.random.choice(sorted(folders) or ["site/"])
        front = self.random.choice(
            [
                "",
                f"---\nchecked: 2026-0{self.random.randint(1, 2)}-0{self.random.randint(1, 9)}\ncheckedBy: Ada\n---\n",
                "---\ndeclined: We have none.\n---\n",
                f"---\nsummary: {self.random.choice(_WORDS)}\n---\n",
                "---\ndraft: true\n---\n",
            ]
        )
        self._put(f"{folder}{self.random.choice(_DOCUMENTS)}.md", front + self.random.choice(["", self._body() + "\n"]))

    def change_link(self) -> None:
        """Set a symbolic link, to a page or to nothing."""
        target = self.random.choice([self._pick(), "gone.md", "/etc/passwd", "notes"])
        self._put(self.random.choice(["linked.md", "notes/linked.md", "linked"]), Link(target))

    def spoil(self) -> None:
        """Give a page bytes or a frontmatter that cannot be read."""
        path = self._pick()
        text = self._read(path)
        kinds: list[Content] = [
            b"\xff\xfe\x00b\x00a",
            text.encode("utf-8", "replace") + b"\n\xe9t\xe9\n",
            "---\ntitle: [\n---\n" + text,
            "---\n\tprivate: true\n---\n" + text,
            text.replace("\n", "\r\n"),
            "\ufeff" + text,
            "",
            "---\ntitle: x\n" + text,
        ]
        self.files[path] = self.random.choice(kinds)

    def change_date_only(self) -> None:
        """Change nothing: a commit alone."""
