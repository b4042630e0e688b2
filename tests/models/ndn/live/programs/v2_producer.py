"""python-ndn's second API: replies with the PIT token, unregisters on request."""

from ndn.appv2 import NDNApp
from ndn.encoding import Name
from ndn.security import DigestSha256Signer

app = NDNApp()
SIGNER = DigestSha256Signer()


def hello(name, app_param, reply, context):
    reply(app.make_data(name, b"hello from v2", signer=SIGNER, freshness_period=10_000))


def leave(name, app_param, reply, context):
    reply(app.make_data(name, b"leaving", signer=SIGNER))

    async def unregister():
        while not await app.unregister("/v2/hello"):
            pass

    import asyncio

    asyncio.get_running_loop().create_task(unregister())


async def start():
    for prefix, handler in (("/v2/hello", hello), ("/v2/leave", leave)):
        app.attach_handler(Name.from_str(prefix), handler)
        while not await app.register(prefix):
            pass


app.run_forever(after_start=start())
