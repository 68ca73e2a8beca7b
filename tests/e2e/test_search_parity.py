"""The search of the browser and that of Python give the same: words, pages, order, snippets, scores. Real bundle, run by Node."""

import json
import random
import shutil
import subprocess
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from indexer.model.search import SearchResult
from indexer.parse.tokens import find_words, split_word
from tests.conftest import CorpusFactory
from tests.tools.search_vault import build_index, find, read_folder

SITE = Path(__file__).parents[2] / "site_templates"
ESBUILD = SITE / "node_modules" / ".bin" / "esbuild"
GOLDEN = Path(__file__).parents[1] / "golden" / "search_tokens.json"

RUNNER = """
import { readFileSync } from "node:fs";
import { createSearch } from "./src/search/index";
import { findWords, splitWord } from "./src/search/tokens";
const { texts, files, queries, limit, exists } = JSON.parse(readFileSync(0, "utf8"));
const show = (raw) => {
  const word = splitWord(raw);
  if (!word) return { raw, nothing: true };
  const shown = { raw, whole: word.whole };
  if (word.parts.length) shown.parts = word.parts;
  if (word.middle.length) shown.middle = word.middle;
  if (word.run) shown.run = true;
  return shown;
};
const unassigned = /\\p{Cn}/u;
const words = texts.map((text) => (exists && unassigned.test(text) ? null : findWords(text).map(({ raw }) => show(raw))));
const load = async (name) => {
  if (!(name in files)) throw new Error(`missing ${name}`);
  return JSON.parse(files[name]);
};
const results = [];
for (const query of queries) results.push(await createSearch("http://site.invalid/_/search/", load).search(query, { limit }));
process.stdout.write(JSON.stringify({ words, results }));
"""

PAGES = {
    "index.md": "# Harbour notes\n\nWelcome to the harbour. See the guide.\n",
    "guide.md": (
        "---\naliases: [Handbook, 手引き]\ntags: [howto/boats]\n---\n# Guide\n\nIntro.\n\n"
        "## Mooring lines\n\nTie the zeppelin knot twice. Café.\n"
    ),
    "a/deep/README.md": "# Read me\n\nsnake_case camelCase v1.2.3 c++ C# .net `__proto__` constructor toString tar.gz\n",
    "zh.md": "# 无人机手册\n\n起飞前检查电池。人要站在后面。用Python写的ToolBox\n",
    "ja.md": "# 覚え書き\n\n引っ越して以来、自転車で通っている。ファイルを圧縮する。\n",
    "ko.md": unicodedata.normalize("NFD", "# 일지\n\n자전거를 고쳤다. résumé\n"),
    "th.md": "# บันทึก\n\nวันนี้ซ่อมจักรยานแล้ว\n",
    "ar.md": "# مذكرات\n\nأصلحت الدراجة اليوم، نگه\u200cدارنده\n",
    "emoji.md": "# 👩🏽\u200d🚀 Space\n\n" + "👩🏽\u200d🚀 " * 80 + "𝒳 rocket 🚀 <script>alert(1)</script> &amp; \u2028 end\n",
    "spellings.md": "# 🚀 Łódź\n\nĐường, policies, e-mail, node.js, C++ and C#, أَحْمَد الكتاب ٢٠٢٤, שָׁלוֹם, 서버에\n",
    "marks.md": '# Marks\n\n🇩🇪🇫🇷 Hume’s 19" rack, צה"ל, don\'t use 1,000,000 or 1,234.56 v2.10.3.\n',
    "empty.md": "",
    "long.md": "# Long\n\n" + "".join(f"## Part {n}\n\n{'river water ' * 150}needle{n}\n\n" for n in range(30)),
}
QUERIES = [
    *("lodz", "duong", "policy", "email", "nodejs", "node.js", "C++", "احمد", "كتاب", "2024", "שלום", "서버를", "🚀"),
    *(
        "dont",
        "Don’t",
        "theyve",
        "they've said",
        "can't",
        "don't use",
        "1000000",
        "1,000,000",
        "1,234.56",
        "snakecase",
        "user_id",
        "snake_c",
    ),
    *("🇩🇪", "🇪🇫", "hume's", "don't", "²'s", "Hume’"),
    *('19" rack 24"', '"rack" 19" "19"', 'צה"ל "שלום"', "2.10", "v2.10.3", "2.10.3", "10.3"),
    *("harbour", "guide", "handbook", "手引き", "boats", "zeppelin knot", '"zeppelin knot"', '"knot zeppelin"', "snake_case", "case"),
    *(
        "camelcase",
        "v1.2.3",
        "1.2.3",
        "1.2",
        "c++",
        "c#",
        ".net",
        "__proto__",
        "constructor",
        "tostring",
        "tar.gz",
        "gz",
        "无人机",
        "人",
        "水人",
    ),
    *(
        "て以来",
        "ファイル",
        "圧縮ファイル",
        "自転車で走った",
        "자전거",
        "จักรยาน",
        "الدراجة",
        "RÉSUMÉ",
        "resume",
        "python",
        "rocket",
        "script",
    ),
    *("needle7", "needle", "river need", "river water unknown", "the", "t", "", "  ", "...", '"', "“quo", "𝒳", "👩🏽\u200d🚀", "part 12"),
]


@dataclass(frozen=True, slots=True)
class Client:
    """The bundle of the browser's search."""

    program: Path

    def run(
        self, texts: list[str], index: Mapping[str, bytes], queries: list[str], limit: int = 10, exists: bool = False
    ) -> dict[str, list[Any]]:
        """Return the words of texts (None for one with a character that Node does not know yet, if `exists`) and results of queries."""
        files = {name: data.decode("utf-8") for name, data in index.items()}
        asked = json.dumps({"texts": texts, "files": files, "queries": queries, "limit": limit, "exists": exists})
        ran = subprocess.run(["node", str(self.program)], input=asked, capture_output=True, text=True, check=False, timeout=300)
        assert ran.returncode == 0, ran.stderr
        answer: dict[str, list[Any]] = json.loads(ran.stdout)
        return answer


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """Bundles the search as the site's build does."""
    if shutil.which("node") is None or not ESBUILD.exists():
        pytest.skip("needs Node and the packages of site_templates (make assets)")
    program = tmp_path_factory.mktemp("bundle") / "search.mjs"
    options = ["--bundle", "--format=esm", "--platform=node", "--target=es2022,safari16.4", "--log-level=warning", f"--outfile={program}"]
    subprocess.run([str(ESBUILD), *options], input=RUNNER, text=True, cwd=SITE, check=True, timeout=120)
    return Client(program)


def show_words(text: str) -> list[dict[str, Any]]:
    shown = []
    for raw in find_words(text).findall(text):
        word = split_word(raw)
        entry: dict[str, Any] = {"raw": raw, "nothing": True} if word is None else {"raw": raw, "whole": word.whole}
        if word:
            entry |= {"parts": list(word.parts)} if word.parts else {}
            entry |= {"middle": list(word.middle)} if word.middle else {}
            entry |= {"run": True} if word.run else {}
        shown.append(entry)
    return shown


def show_result(result: SearchResult) -> dict[str, Any]:
    return {
        "path": result.path,
        "title": result.title,
        "url": result.url,
        "heading": result.heading,
        "breadcrumbs": list(result.breadcrumbs),
        "line": result.line,
        "pieces": [{"text": piece.text, "hit": piece.hit} for piece in result.pieces],
        "score": result.score,
        "missing": list(result.missing),
    }


def assert_same(client: Client, index: Mapping[str, bytes], queries: list[str], limit: int = 10) -> int:
    """Compare both searches; return how many queries found something."""
    answers = client.run([], index, queries, limit)["results"]
    for query, answer in zip(queries, answers, strict=True):
        assert answer == [show_result(result) for result in find(index, query, limit)], query
    return sum(bool(answer) for answer in answers)


@pytest.mark.req("P09")
def test_both_split_the_shared_vectors_alike(client: Client) -> None:
    vectors = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = client.run([vector["text"] for vector in vectors], {}, [])["words"]
    assert found == [vector["words"] for vector in vectors]


@pytest.mark.req("P09")
def test_both_treat_every_character_alike(client: Client) -> None:
    codes = [code for code in range(0x20, 0x30000) if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn"]
    texts = [f"{chr(code)} a{chr(code)}b" for code in codes]
    found = client.run(texts, {}, [], exists=True)["words"]
    known = [(text, words) for text, words in zip(texts, found, strict=True) if words is not None]
    assert len(known) > 0.98 * len(texts)
    assert [(text, words, show_words(text)) for text, words in known if words != show_words(text)][:5] == []


@pytest.mark.req("P09")
def test_both_split_random_text_alike(client: Client) -> None:
    chance = random.Random(11)
    letters = [*'aZ9_.,-+#[]/ "éßΣςİ漢ガｶﾞกุ한\u1112\u1161\u11ab\u0301\u200d\u00ad½㊀𠮷🚀🇩🇪’دnق', *("9,999", ",999", "Z_9", "don't") * 2]
    texts = ["".join(chance.choices(letters, k=chance.randint(1, 25))) for _ in range(4000)]
    found = client.run(texts, {}, [])["words"]
    assert [(text, words, show_words(text)) for text, words in zip(texts, found, strict=True) if words != show_words(text)][:5] == []


@pytest.mark.req("P08", "P09")
@pytest.mark.threat(27)
def test_both_find_the_same_in_pages_of_many_scripts(client: Client) -> None:
    assert assert_same(client, build_index(PAGES), QUERIES) > 30


def cut_queries(texts: list[str], count: int, seed: int) -> list[str]:
    """Queries out of texts: words in a row or from all over, quoted, unfinished."""
    chance = random.Random(seed)
    queries: list[str] = []
    while len(queries) < count:
        words = chance.choice(texts).split()
        size = min(len(words), chance.randint(1, 4))
        if not size:
            continue
        start = chance.randrange(len(words) - size + 1)
        query = " ".join(words[start : start + size] if chance.random() < 0.5 else chance.sample(words, size))
        if chance.random() < 0.2:
            query = '"' + query.replace('"', "") + '"'
        if chance.random() < 0.3:
            query = query[: max(1, len(query) - 2)]
        queries.append(query)
    return queries


@pytest.mark.req("P09")
def test_both_find_the_same_in_a_generated_index_with_frequent_words(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from indexer.publish import search_words

    monkeypatch.setattr(search_words, "MOST_PAGES", 40)
    monkeypatch.setattr(search_words, "MOST_TITLES", 20)
    monkeypatch.setattr(search_words, "OWN_BYTES", 120)
    chance = random.Random(3)
    vocabulary = [f"{a}{b}{c}" for a in "bdfgkl" for b in "aeiou" for c in ("ra", "lo", "ne", "", "ti-su", "_su")]
    files = {}
    for number in range(300):
        text = "\n\n".join(
            f"## {' '.join(chance.choices(vocabulary, k=2))}\n\n{' '.join(chance.choices(vocabulary, k=40))}" for _ in range(3)
        )
        files[f"d{number % 7}/n{number}.md"] = f"# {' '.join(chance.choices(vocabulary, k=2))}\n\n{text}\n"
    index = build_index(files)
    assert any(name.startswith("whole/") for name in index)
    assert assert_same(client, index, cut_queries(list(files.values()), 150, 5), 12) > 100


@pytest.mark.req("P09")
@pytest.mark.parametrize("name", ["obsidian-tasks-docs", "tasks-demo-vault", "ms-playbook-docs", "ekgardt-llm-wiki", "opensource-guide"])
def test_both_find_the_same_in_real_pages(client: Client, corpus: CorpusFactory, name: str) -> None:
    files = read_folder(corpus(f"small/{name}"))
    assert assert_same(client, build_index(files), cut_queries(list(files.values()), 60, 7)) > 30


@pytest.mark.req("P08")
def test_an_index_that_was_built_anew_meanwhile_is_read_again(client: Client, tmp_path: Path) -> None:
    """The browser has the old index file, the server new pages: the search starts over instead of failing."""
    large = {f"n{number}.md": f"# N\n\n{' '.join(f'word{number}x{place}' for place in range(60))}\n" for number in range(70)}
    old, new = build_index(large), build_index({"a.md": "# A\n\nword7x7\n"})
    assert "terms/t.json" not in old
    runner = tmp_path / "again.mjs"
    runner.write_text(
        """
        import { readFileSync } from "node:fs";
        const { old, now, program } = JSON.parse(readFileSync(0, "utf8"));
        let asked = 0;
        const load = async (name) => {
          const files = name === "index.json" && asked++ === 0 ? old : now;
          if (!(name in files)) throw new Error("404");
          return JSON.parse(files[name]);
        };
        const { createSearch } = await import(program);
        const results = await createSearch("http://site.invalid/", load).search("word7x7", { limit: 3 });
        process.stdout.write(JSON.stringify({ count: results.length, asked }));
        """,
        encoding="utf-8",
    )
    library = tmp_path / "library.mjs"
    options = ["--bundle", "--format=esm", "--target=es2022", "--log-level=warning", f"--outfile={library}"]
    subprocess.run([str(ESBUILD), "src/search/index.ts", *options], cwd=SITE, check=True, timeout=120)
    texts = [{name: data.decode("utf-8") for name, data in index.items()} for index in (old, new)]
    asked = json.dumps({"old": texts[0], "now": texts[1], "program": library.as_uri()})
    ran = subprocess.run(["node", str(runner)], input=asked, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(ran.stdout) == {"count": 1, "asked": 2}
