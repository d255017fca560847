"""The network of one session in WebKit: what the protocol reports, in the shape of `browsers.cdp.network`, and its limits."""
