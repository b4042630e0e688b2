"""A python-ndn program: asks for names and prints how long the answers took.

It knows nothing of simulations.

Run it beside any forwarder: NDN_CLIENT_TRANSPORT=unix:///tmp/node.sock python ndn_live_consumer.py
"""

import argparse
import asyncio
import json
import time

from ndn.app import NDNApp
from ndn.security import KeychainDigest
from ndn.types import InterestNack, InterestTimeout


async def ask(app, name):
    """Ask until there is an answer: the producer may not have started."""
    while True:
        start = time.perf_counter()
        try:
            _, _, content = await app.express_interest(name, must_be_fresh=True, lifetime=2000)
        except InterestNack:
            await asyncio.sleep(0.05)
        except InterestTimeout:
            pass
        else:
            return 1e3 * (time.perf_counter() - start), len(content)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prefix", default="/live")
    parser.add_argument("--count", type=int, default=10, help="names to ask for")
    options = parser.parse_args()
    app = NDNApp(keychain=KeychainDigest())

    async def run():
        await ask(app, f"{options.prefix}/hello")
        answers = [await ask(app, f"{options.prefix}/{i}") for i in range(options.count)]
        report = {"rtt_ms": [rtt for rtt, _ in answers], "bytes": sum(size for _, size in answers)}
        print(json.dumps(report), flush=True)
        app.shutdown()

    app.run_forever(after_start=run())


if __name__ == "__main__":
    main()
