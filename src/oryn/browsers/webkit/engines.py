"""The browsers of embedded mode: their programs, their arguments, and what to install."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from oryn.browsers.process.run_folder import RunFolder
from oryn.core.records import Record
from oryn.errors import BrowserNotFound
from oryn.system.browser_installation import package_names

EngineName = Literal["wpe", "cog", "webkitgtk"]


class WebKitEngine(Record):
    """A browser of WebKit's.

    programs: patterns of paths; the first one found is used.
    arguments: what makes it open the socket for automation, without a window if it can.
    needs_display: it draws into a window, so it needs an X or Wayland display; `launch_webkit` starts one if there is
        none.
    sets_window: the size of its window can be set; another's has one size.
    debian_packages: what to install, as Debian 13 and later releases call it; `packages` is what this computer does."""

    name: EngineName
    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    needs_display: bool
    sets_window: bool
    debian_packages: tuple[str, ...]

    @property
    def packages(self) -> str:
        """The packages to install on this computer, as its system calls them."""
        older = _DEBIAN_12 if is_debian_12() else {}
        return " ".join(package_names(older.get(each, each) for each in self.debian_packages))


# MiniBrowser needs the two last ones, on which Debian 12 and 13 do not let it depend.
_WPE = ("libwpewebkit-2.0-1", "libwpebackend-fdo-1.0-1", "libatk-bridge2.0-0", "libgles2")
_DEBIAN_12 = {"libwpewebkit-2.0-1": "libwpewebkit-1.1-0"}


def is_debian_12() -> bool:
    import platform

    try:
        release = platform.freedesktop_os_release()
    except OSError:  # another system
        return False
    return (release["ID"], release.get("VERSION_ID")) == ("debian", "12")


# These save a tenth of the memory of a page. The optimising compilers of JavaScript cost 8 MB and make long loops twice
# as fast at most; Mesa draws without threads of its own; pages are painted without Mesa (from 2.48 on, 20 MB); the
# allocator keeps less for later.
SMALL_MEMORY: Mapping[str, str] = {
    "JSC_useDFGJIT": "0",
    "WEBKIT_SKIA_ENABLE_CPU_RENDERING": "1",
    "LP_NUM_THREADS": "0",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "0",
}
"""Variables of a browser's processes; those that the user has set win."""

ENGINES: dict[EngineName, WebKitEngine] = {
    "wpe": WebKitEngine(
        name="wpe",
        programs=(
            "/usr/lib/*/wpe-webkit-*/MiniBrowser",
            "/usr/libexec/wpe-webkit-*/MiniBrowser",
            "/usr/lib/wpe-webkit-*/MiniBrowser",
        ),
        arguments=("--automation", "--headless"),
        needs_display=False,
        sets_window=False,
        debian_packages=_WPE,
    ),
    "cog": WebKitEngine(
        name="cog",
        programs=("/usr/bin/cog", "/usr/local/bin/cog"),
        arguments=("--automation", "--platform=headless"),
        needs_display=False,
        sets_window=False,
        debian_packages=(*_WPE, "cog"),
    ),
    "webkitgtk": WebKitEngine(
        name="webkitgtk",
        # Of GTK 3, and of GTK 4: Debian, Fedora, Arch.
        programs=tuple(
            f"/usr/{folder}/{name}/MiniBrowser"
            for name in ("webkit2gtk-4.*", "webkitgtk-6.*")
            for folder in ("lib/*", "libexec", "lib")
        ),
        arguments=("--automation",),
        needs_display=True,
        sets_window=True,
        debian_packages=("libwebkit2gtk-4.1-0", "xvfb"),
    ),
}


def find_browser_program(engine: WebKitEngine) -> str:
    """The path of an engine's program. Raises `BrowserNotFound`."""
    root = Path(sys.prefix).anchor or "/"
    for pattern in engine.programs:
        found = sorted(Path(root).glob(pattern.lstrip("/")))
        if found:
            return str(found[-1])
    raise BrowserNotFound(f"{engine.name} is not installed", f"Install {engine.packages}.")


# Where these fonts are the only ones, Debian's configuration chooses Liberation Mono for all texts; WebKit from 2.48 on
# rejects that, and gives texts no height. Fonts that the configuration prefers stay in front.
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <alias><family>serif</family><accept><family>Liberation Serif</family></accept></alias>
  <alias><family>sans-serif</family><accept><family>Liberation Sans</family></accept></alias>
</fontconfig>
"""


# WebKitGTK's window is as wide as its toolbar at least, which nobody sees.
_NARROW = """toolbar, headerbar, toolitem, button, entry, image, box, label {
  min-width: 0; min-height: 0; margin: 0; padding: 0; border-width: 0; border-spacing: 0; font-size: 1px;
}
button, image { -gtk-icon-size: 1px; }
"""


def browser_environment(folder: RunFolder, shader_cache: Path | None) -> dict[str, str]:
    """The variables for a browser of WebKit's, or its driver; what the browser stores goes to the run folder.

    `shader_cache` is the folder in which Mesa keeps what it has compiled for the next start; None keeps nothing."""
    stored = {f"XDG_{kind}_HOME": str(folder.profile) for kind in ("DATA", "CACHE", "CONFIG")}
    _write_user_folders(folder)
    # Without a bus of its own each start waits for one and complains.
    quiet = {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}
    # The reasons of failed loads are texts of libraries, which `network_errors` reads.
    language = {"LANGUAGE": "C"}
    cache = {"MESA_SHADER_CACHE_DIR": str(shader_cache), "MESA_SHADER_CACHE_MAX_SIZE": "64M"} if shader_cache else {}
    return {**SMALL_MEMORY, **folder.environment()} | stored | cache | quiet | language


def _write_user_folders(folder: RunFolder) -> None:
    """Let the browser store downloads in the run folder (https://www.freedesktop.org/wiki/Software/xdg-user-dirs/); it
    draws with the fonts that the user has configured."""
    (folder.profile / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{folder.downloads}"\n')
    for version in ("gtk-3.0", "gtk-4.0"):
        (folder.profile / version).mkdir()
        (folder.profile / version / "gtk.css").write_text(_NARROW)
    configured = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "fontconfig")
    fonts = folder.profile / "fontconfig"
    if configured.is_dir():
        fonts.symlink_to(configured)
    else:
        fonts.mkdir()
        (fonts / "fonts.conf").write_text(_FONTS)
