"""The token of the host on this machine."""

import os
from pathlib import Path


def read_token(home: str | None = None) -> str:
    """Reads the host's token file."""
    folder = home or os.environ.get("OD_HOME") or Path.home() / ".open-design"
    return (Path(folder) / "token").read_text().strip()
