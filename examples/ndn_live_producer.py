"""A python-ndn program: serves a prefix. It knows nothing of simulations.

Run it beside any forwarder: NDN_CLIENT_TRANSPORT=unix:///tmp/node.sock python ndn_live_producer.py
"""

import argparse

from ndn.appv2 import NDNApp
from ndn.encoding import Name
from ndn.security import DigestSha256Signer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prefix", default="/live")
    parser.add_argument("--size", type=int, default=500, help="bytes of content")
    options = parser.parse_args()
    app = NDNApp()

    def on_interest(name, app_param, reply, context):
        content = Name.to_str(name).encode().ljust(options.size, b".")
        reply(app.make_data(name, content, signer=DigestSha256Signer(), freshness_period=10_000))

    async def start():
        app.attach_handler(options.prefix, on_interest)
        # The answer may be late where the machine is busy.
        while not await app.register(options.prefix):
            pass

    app.run_forever(after_start=start())


if __name__ == "__main__":
    main()
