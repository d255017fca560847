"""What a command costs whose token is in the database that daemons share, against the same command with the daemon's
own token, which is not looked up. In alternation, at one real daemon with a database on SQLite, or the one at
`--records`.

    python -m benchmarks.token_records [--commands 500] [--records postgresql://…]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median

import httpx

from oryn.daemon.access.database_store import SharedTokens
from oryn.daemon.access.tokens import Token, hash_of, new_token
from oryn.records.database import Database
from tests.daemon.daemon_process import RunningDaemon


async def main(commands: int, records: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = records or f"sqlite:///{folder}/records.sqlite"
        daemon = RunningDaemon(Path(folder) / "one", {"ORYN_RECORDS": url, "ORYN_DAEMON_NAME": "one"})
        token, database = new_token(), Database(url)
        SharedTokens(database).put(Token("bench", hash_of(token), frozenset({"see"})))
        database.close()
        seconds: dict[str, list[float]] = {daemon.token: [], token: []}
        async with httpx.AsyncClient(base_url=daemon.url, timeout=60, trust_env=False) as client:
            await daemon.ok("goto data:text/html,<title>Bench</title>")
            for _ in range(commands):
                for each, found in seconds.items():
                    began = time.perf_counter()
                    response = await client.post(
                        "/command", json={"line": "title"}, headers={"Authorization": f"Bearer {each}"}
                    )
                    found.append(time.perf_counter() - began)
                    assert response.status_code == 200, response.text
        await daemon.stop()
    own, shared = (median(each) * 1000 for each in seconds.values())
    print(f"own token {own:.2f} ms, token in the records {shared:.2f} ms: {shared / own:.3f} ×")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=500)
    parser.add_argument("--records")
    options = parser.parse_args()
    asyncio.run(main(options.commands, options.records))
