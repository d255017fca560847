"""`make demo-attach`: a browser with tabs and logins, as its user has it. Oryn attaches, uses a login in a tab of its
own, detaches, and the browser is as it was."""

from __future__ import annotations

import sys

from scripts.users_browser import SITES, UsersBrowser, users_browser

TABS = 6


def main() -> int:
    """Print each command with its answer; the exit code."""
    with users_browser(TABS) as browser:
        print(f"A browser runs, with {TABS + 1} tabs and logins at {', '.join(SITES)}.\n")
        before = browser.look()
        run(browser, "attach", "chromium")
        run(browser, "--session", "attached", "tabs")
        run(browser, "--session", "attached", "goto", f"http://bank.localhost:{browser.site_port}/account")
        greeting = run(browser, "--session", "attached", "text")
        run(browser, "--session", "attached", "click", "Do it")
        print("\n".join(f"meanwhile in the browser: {each}" for each in before.differences(browser.look())), "\n")
        run(browser, "--session", "attached", "close")
        differences = before.differences(browser.look())
        if differences or "Ann at bank.localhost" not in greeting:
            print("\n".join(differences) or "the login was not there")
            return 1
        print("The browser is as it was: the same tabs, the same cookies, and no page has noticed anything.")
        return 0


def run(browser: UsersBrowser, *words: str) -> str:
    answer = browser.oryn(*words)
    print(f"$ oryn {' '.join(words)}\n{answer}", flush=True)
    return answer


if __name__ == "__main__":
    sys.exit(main())
