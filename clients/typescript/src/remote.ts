/**
 * A daemon that is reached by its URL and a token: `ORYN_DAEMON_URL` and `ORYN_DAEMON_TOKEN` (docs/access.md#clients). A
 * token goes only to a server whose certificate checks, or to loopback.
 */

import { readFile } from "node:fs/promises";
import { request as requestPlain } from "node:http";
import { request, type RequestOptions } from "node:https";

import type { OpenRequest } from "./daemon.js";
import { ConfigurationError, DaemonFailed, type OrynError } from "./errors.js";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * The URL of the daemon that the environment names.
 * @throws ConfigurationError
 */
export function remoteDaemon(environment: NodeJS.ProcessEnv = process.env): URL | undefined {
  const text = environment["ORYN_DAEMON_URL"];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url?.pathname === "/" && !url.search && !url.username && !url.password;
  if (url === undefined || !isOrigin || !["http:", "https:"].includes(url.protocol)) {
    throw new ConfigurationError(
      `ORYN_DAEMON_URL can't be '${text.slice(0, 200)}'`,
      "It is a daemon's address: https://oryn.example.org:7720.",
    );
  }
  if (url.protocol === "http:" && !LOOPBACK.includes(url.hostname)) {
    throw new ConfigurationError(
      `ORYN_DAEMON_URL can't be '${text.slice(0, 200)}': the token would be readable on its way`,
      "Use https://.",
    );
  }
  return url;
}

/**
 * A request to that daemon, which is sent once its certificate was checked, by the system's CAs or those in
 * `SSL_CERT_FILE`.
 * @throws ConfigurationError
 */
export async function openRemote(url: URL, method: string, path: string): Promise<OpenRequest> {
  const token = await tokenOf(process.env);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const options: RequestOptions = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || undefined,
    method,
    path,
    headers: { ...headers, Host: url.host },
    agent: false,
  };
  if (url.protocol === "http:") return (received) => requestPlain(options, received);
  const file = process.env["SSL_CERT_FILE"];
  const ca = file ? await read("SSL_CERT_FILE", file) : undefined;
  return (received) => request({ ...options, ...(ca === undefined ? {} : { ca }) }, received);
}

/** The error of a request that has no response. */
export function remoteError(url: URL, error: NodeJS.ErrnoException): OrynError | Error {
  const { code = "", message } = error;
  if (/CERT|ISSUER|ALTNAME|SIGNATURE/.test(code)) {
    return new DaemonFailed(
      `the certificate of ${url.origin} does not check: ${message}`,
      "Nothing was sent. Use a name that it has; SSL_CERT_FILE names a file with your own CA.",
    );
  }
  if (["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"].includes(code)) {
    return new DaemonFailed(`no daemon answers at ${url.origin}: ${message}`, "Nothing was sent.");
  }
  return error;
}

/** @throws ConfigurationError */
async function tokenOf(environment: NodeJS.ProcessEnv): Promise<string> {
  const { ORYN_DAEMON_TOKEN: given = "", ORYN_DAEMON_TOKEN_FILE: file } = environment;
  const token = (!given && file ? await read("ORYN_DAEMON_TOKEN_FILE", file) : given).trim();
  if (!/^[!-~]+$/.test(token)) {
    throw new ConfigurationError(
      "ORYN_DAEMON_URL needs a token",
      "Set ORYN_DAEMON_TOKEN, or ORYN_DAEMON_TOKEN_FILE; 'oryn token' makes one.",
    );
  }
  return token;
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigurationError(`${variable} can't be read: ${String(error)}`, "Correct its access.");
  }
}
