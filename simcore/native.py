"""What machine-code handlers call: events for handlers that numba or a C compiler has compiled.

A handler is a C function ``int32_t handler(int64_t now, void* data)``. It finds its state in `data`
and arms events by their address::

    import numba
    import numpy as np
    from simcore import Simulator, ms
    from simcore.native import NativeEvent, arm

    @numba.cfunc("int32(int64, CPointer(int64))")
    def tick(now, data):
        data[1] += 1
        return arm(data[0], 1_000_000)

    sim = Simulator()
    state = np.zeros(2, dtype=np.int64)
    event = NativeEvent(sim, tick, state)
    state[0] = event.address
    event.arm(0)
    sim.run(until=ms(10))

The handler runs with the GIL held and must not call Python. An event must exist as long as a
handler may arm it: keep it in a variable. An address that is none crashes the process.
"""

from __future__ import annotations

import ctypes

from simcore.simulator import NATIVE_ARM, NATIVE_DISARM, NativeEvent

__all__ = ["NativeEvent", "arm", "disarm"]

# PYFUNCTYPE keeps the GIL, also when a script calls these.

arm = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)(NATIVE_ARM)
"""``arm(event, delay)``: run an event `delay` ns from now, also when it is armed; 0.

A wrong delay gives -1, and the run ends with the `ValueError` or `OverflowError` when the handler
has returned.
"""

disarm = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_int64)(NATIVE_DISARM)
"""``disarm(event)``: take an event out of the pending set; 1 when it was armed, else 0."""
