"""The network of one session in WebKit: its requests, in the shape of `browsers.cdp.network`, and their limits."""
