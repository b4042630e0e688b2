"""Run a command and write what it used: launch.py FILE COMMAND [ARGUMENT ...]

FILE gets one line of JSON: exit status, CPU seconds (user and system), peak resident set in bytes.

Linux counts the memory of whoever starts a program as the program's own peak, since it was its
image until the exec. So a large process that measures others starts them through this small one.
"""

import json
import os
import sys


def main():
    report, *command = sys.argv[1:]
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    with open(report, "w") as file:
        json.dump(
            {
                "status": os.waitstatus_to_exitcode(status),
                "cpu_s": usage.ru_utime + usage.ru_stime,
                "peak_rss": usage.ru_maxrss * 1024,
            },
            file,
        )


if __name__ == "__main__":
    main()
