"""Opening a page in the user's browser, where there is one with a window."""

import os
import sys
import webbrowser


def open_browser(url: str) -> bool:
    """Try to open a page; return False where no window can be opened (a server, a container)."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")
    ):
        return False  # a browser in the terminal would take the terminal away
    if os.environ.get("MECANO_BROWSER") == "off":
        return False
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
