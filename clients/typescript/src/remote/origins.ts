/**
 * Who may open a WebSocket to a server on loopback: extensions and programs, no page. A page may connect there too,
 * also under a name that its owner points there; the browser says whose it is in `Origin`, which a page can't forge.
 * https://www.rfc-editor.org/rfc/rfc6455#section-10.2
 */

/** Whether a connection with this `Origin` may be an extension's: a program has none. */
export function isExtension(origin: string | undefined): boolean {
  return origin === undefined || /^(?:chrome|moz|safari-web)-extension:\/\/[A-Za-z0-9-]+$/.test(origin);
}

/** Whether a `Host` header, with or without a port, names this computer. */
export function isLoopback(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:[0-9]{1,5}$/, "").toLowerCase();
  return /^localhost\.?$/.test(name) || /^127(?:\.(?:0|[1-9][0-9]{0,2})){3}$/.test(name) || name === "[::1]";
}
