"""The programs in the documentation run, and what they assert holds."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


PAGES = [
    "tutorial",
    "processes",
    "native-handlers",
    "statistics",
    "bridge",
    "models/ndn",
    "models/ndn-applications",
    "models/ndn-live",
]


@pytest.mark.parametrize("page", PAGES)
def test_programs(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert programs
    # The programs of a page are one script, as a reader would type them.
    exec(compile("\n".join(programs), f"{page}.md", "exec"), {"__name__": page})
