"""A trace that cannot be completed when the interpreter ends."""

import subprocess
import sys

SCRIPT = """
from simcore.trace.open_files import keep_track
class File:
    def flush(self):
        raise OSError(28, "No space left on device", "x.tr")
file = File()
keep_track(file)
"""


def test_a_full_disk_at_exit_is_one_line():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stderr.count("\n") == 1
    assert "No space left on device: 'x.tr'" in done.stderr
