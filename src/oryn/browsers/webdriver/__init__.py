"""Pages driven by the commands of W3C WebDriver: the base of Playwright's Firefox and WebKit, whose own interface is
behind these commands (`oryn.browsers.playwright.engines.commands`).

https://www.w3.org/TR/webdriver2/"""
