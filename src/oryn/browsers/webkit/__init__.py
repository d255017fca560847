"""WebKit's own protocol: the browsers of embedded mode (WPE WebKit, Cog, WebKitGTK), driven without a driver."""
