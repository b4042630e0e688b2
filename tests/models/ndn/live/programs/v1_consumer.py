"""Ask with python-ndn's first API; print what came as JSON."""

import json
import sys

from ndn.app import NDNApp
from ndn.app_support.segment_fetcher import segment_fetcher
from ndn.encoding import Name
from ndn.security import KeychainDigest
from ndn.types import InterestNack, InterestTimeout

app = NDNApp(keychain=KeychainDigest())
# A machine under load may take long.
LONG = 30_000


async def accept(name, signature):
    return True


async def ask(name, lifetime=LONG):
    try:
        got, _, content = await app.express_interest(
            name, validator=accept, must_be_fresh=True, lifetime=lifetime
        )
    except InterestNack as nack:
        return f"nack {nack.reason}"
    except InterestTimeout:
        return "timeout"
    return [Name.to_str(got), bytes(content).decode()]


async def main():
    result = {name: await ask(name) for name in sys.argv[1].split()}
    if len(sys.argv) > 2:
        parts = [
            bytes(part)
            async for part in segment_fetcher(app, sys.argv[2], timeout=LONG, validator=accept)
        ]
        result["segments"] = [[part[0], len(part)] for part in parts]
    print(json.dumps(result), flush=True)
    app.shutdown()


app.run_forever(after_start=main())
