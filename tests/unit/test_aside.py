"""Work beside the event loop: bounded, and over when the process ends."""

import asyncio
import threading

import pytest

from indexer.serve.aside import Aside, BusyError


def test_it_takes_so_much_and_no_more_and_counts_what_nobody_waits_for_any_longer() -> None:
    async def check() -> None:
        aside, gate = Aside("test", threads=1, most=2), threading.Event()
        first = asyncio.create_task(aside.run(lambda: gate.wait(20)))
        second = asyncio.create_task(aside.run(lambda: "done"))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0.01)
        with pytest.raises(BusyError):
            await aside.run(lambda: "third")
        gate.set()
        assert await first
        await asyncio.sleep(0.2)
        assert await aside.run(lambda: "third") == "third"
        with pytest.raises(ZeroDivisionError):
            await aside.run(lambda: 1 / 0)
        aside.close()
        with pytest.raises(BusyError, match="ends"):
            await aside.run(lambda: "late")

    asyncio.run(check())
