"""Ask with python-ndn's second API; print what came as JSON."""

import json
import sys

from ndn.appv2 import NDNApp, pass_all
from ndn.encoding import Name
from ndn.types import InterestNack, InterestTimeout

app = NDNApp()


async def ask(name):
    try:
        got, content, _ = await app.express(
            name, validator=pass_all, must_be_fresh=True, lifetime=30_000
        )
    except InterestNack as nack:
        return f"nack {nack.reason}"
    except InterestTimeout:
        return "timeout"
    return [Name.to_str(got), bytes(content).decode()]


async def main():
    result = {name: await ask(name) for name in sys.argv[1].split()}
    print(json.dumps(result), flush=True)
    app.shutdown()


app.run_forever(after_start=main())
