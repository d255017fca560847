// The addresses of servers, and the commands that start or pair a server there.

/** `localhost:8080` of `ws://localhost:8080/`. */
export const shortName = (endpoint: string): string => endpoint.replace(/^wss?:\/\//i, '').replace(/\/$/, '');

/** The endpoint as a URL, or null if it is not valid. */
export function parseEndpoint(endpoint: string): URL | null {
  try {
    return new URL(endpoint);
  } catch {
    return null;
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether the endpoint is on this computer. */
export const isLocal = (endpoint: string): boolean => LOOPBACK.test(parseEndpoint(endpoint)?.hostname ?? '');

/** The daemon's endpoint for extensions has this path; other servers are `oryn remote` or a program of the user. */
const isDaemon = (endpoint: string) => parseEndpoint(endpoint)?.pathname === '/extension';

const DEFAULT_PORT = '8080';

/** The shell command that starts a server at a local endpoint; with a code, the one that pairs it. */
export function commandFor(endpoint: string, code?: string): string {
  if (isDaemon(endpoint)) return code ? `oryn daemon pair ${code}` : 'oryn daemon start';
  const port = parseEndpoint(endpoint)?.port;
  const options = [port && port !== DEFAULT_PORT ? `--port ${port}` : '', code ? `--pair ${code}` : ''];
  return ['oryn remote', ...options].filter(Boolean).join(' ');
}

/** How a program passes the code. */
export const programHint = (endpoint: string, code: string): string =>
  isDaemon(endpoint)
    ? 'Or pass the code to the client library in your own program.'
    : `Or in your own program: Oryn("remote", pair="${code}").`;
