"""python-ndn's first API: routes, its own key storage, segmented content."""

from ndn.app import NDNApp
from ndn.encoding import Component, Name

app = NDNApp()
app.keychain.touch_identity("/simcore/test")
SEGMENTS = 12


@app.route("/v1/hello", need_sig_ptrs=False)
def hello(name, param, app_param):
    app.put_data(name, content=b"hello from v1", freshness_period=10_000)


async def start():
    def file(name, param, app_param):
        last = name[-1]
        number = Component.to_number(last) if Component.get_type(last) == 50 else 0
        wanted = [*Name.from_str("/v1/file/v=1"), Component.from_segment(number)]
        app.put_data(
            wanted,
            content=bytes([number]) * 4000,
            freshness_period=10_000,
            final_block_id=Component.from_segment(SEGMENTS - 1),
        )

    while not await app.register("/v1/file", file):
        pass
    # In case the first attempt, at connecting, came to nothing on a busy machine.
    while not await app.register("/v1/hello", None):
        pass


app.run_forever(after_start=start())
