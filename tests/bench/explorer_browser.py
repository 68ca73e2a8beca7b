"""The graph explorer in a real browser: how long until it can be used, how long frames take, and what opening and closing leave."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.tools.browser import find_chromium, open_browser
from tests.tools.webserver import serve_folder

ROUNDS = 10
_FRAMES = """() => {
    window.frames_ = [];
    let last = performance.now();
    const tick = (now) => { window.frames_.push(now - last); last = now; window.ticking_ = requestAnimationFrame(tick); };
    window.ticking_ = requestAnimationFrame((now) => { last = now; window.ticking_ = requestAnimationFrame(tick); });
}"""
_STOP = "() => { cancelAnimationFrame(window.ticking_); return window.frames_; }"


@dataclass(frozen=True, slots=True)
class BrowserCost:
    """What one graph costs in the browser."""

    interaction: float
    """Seconds from the request of the page to the picture with its controls."""
    script: float
    """Seconds of processor time of the page's thread until then: script, layout and painting."""
    worst_frame: float
    """Milliseconds, while panning and zooming."""
    median_frame: float
    script_frame: float
    """Milliseconds of processor time of the page's thread for each frame."""
    longest_task: float
    """Milliseconds, of the page's own thread while panning and zooming."""
    heap_growth: float
    """Megabytes, from the second round of opening and closing to the last."""
    nodes_growth: int
    """Elements of the document and beside it."""
    contexts: int
    """Drawing contexts of WebGL that are left."""


def measure_browser(site: Path) -> BrowserCost | None:
    """Open the explorer of a built site, move in it, open and close it ten times; None without a browser."""
    with open_explorer(site) as opened:
        if opened is None:
            return None
        page, session, interaction = opened
        script = read_metrics(session)["TaskDuration"]
        frames, longest, script_frame = move_about(page, session)
        heap, nodes, contexts = open_and_close(page, session)
        return BrowserCost(interaction, script, max(frames), median(frames), script_frame, longest, heap, nodes, contexts)


@contextmanager
def open_explorer(site: Path) -> Iterator[tuple[Page, CDPSession, float] | None]:
    """Yield the page with the picture, a session of its tools, and the seconds it took."""
    program = find_chromium()
    if program is None:
        yield None
        return
    with serve_folder(site) as served, open_browser(program) as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address)
        page = context.new_page()
        page.add_init_script(
            "window.tasks_ = []; new PerformanceObserver((l) => window.tasks_.push(...l.getEntries().map((e) => e.duration)))"
            ".observe({entryTypes: ['longtask']});"
        )
        page.goto("_/search-page/")  # the browser itself is warm, the explorer is not
        session = context.new_cdp_session(page)
        # Processor time of the page's thread: other programs on the machine do not count.
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        began = time.perf_counter()
        page.goto("_/graph/", wait_until="commit")
        page.locator("[data-ready]").wait_for(timeout=60_000)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        yield page, session, time.perf_counter() - began


def read_metrics(session: CDPSession) -> dict[str, float]:
    """Return what the browser counts of a page."""
    return {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}


def move_about(page: Page, session: CDPSession) -> tuple[list[float], float, float]:
    """Pan and zoom by pointer and wheel; return the frames, the longest task, and the processor time for each frame, in milliseconds."""
    box: Any = page.locator(".brain-graph__canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.wait_for_timeout(600)
    page.evaluate("() => { window.tasks_.length = 0; }")
    before = read_metrics(session)["TaskDuration"]
    page.evaluate(_FRAMES)
    page.mouse.down()
    for step in range(30):
        page.mouse.move(x + 6 * step, y + 2 * step)
        page.wait_for_timeout(16)
    page.mouse.up()
    for delta in (-240, -240, -240, -240, 240, 240, 240, 240):
        page.mouse.wheel(0, delta)
        page.wait_for_timeout(250)
    page.wait_for_timeout(400)
    frames: list[float] = page.evaluate(_STOP)
    script = read_metrics(session)["TaskDuration"] - before
    longest: float = page.evaluate("() => Math.max(0, ...window.tasks_)")
    return frames, longest, script * 1000 / max(1, len(frames))


def open_and_close(page: Page, session: CDPSession) -> tuple[float, int, int]:
    """Turn to the table and back ten times; return how memory and the number of elements have grown since the second time."""
    page.evaluate(
        """() => {
            window.contexts_ = [];
            const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                const found = get.call(this, kind, ...rest);
                if (String(kind).startsWith('webgl') && found) window.contexts_.push(new WeakRef(found));
                return found;
            };
        }"""
    )
    grown: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        page.get_by_role("button", name="Table").click()
        page.locator(".brain-graph__rows").wait_for()  # a handle of a selector would keep the table
        page.get_by_role("button", name="Picture", exact=True).click()
        page.locator(".brain-graph__canvas canvas").first.wait_for()
        page.wait_for_timeout(200)
        session.send("HeapProfiler.collectGarbage")
        grown.append(read_metrics(session))
    page.get_by_role("button", name="Table").click()
    page.wait_for_timeout(300)
    session.send("HeapProfiler.collectGarbage")
    left: int = page.evaluate("() => window.contexts_.map((one) => one.deref()).filter((one) => one && !one.isContextLost()).length")
    first, last = grown[1], grown[-1]
    return (last["JSHeapUsedSize"] - first["JSHeapUsedSize"]) / 1e6, int(last["Nodes"] - first["Nodes"]), left
