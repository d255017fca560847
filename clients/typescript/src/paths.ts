/** Where Oryn keeps what stays, as its Python side does (docs/settings.md): `ORYN_HOME`, else the platform's folder. */

import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export function dataFolder(environment: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  const { ORYN_HOME: moved, XDG_DATA_HOME: conventional = "", LOCALAPPDATA: local } = environment;
  if (moved) return join(resolve(moved.replace(/^~(?=$|[/\\])/, homedir())), "data");
  if (platform === "win32") return join(local ?? join(homedir(), "AppData", "Local"), "oryn");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "oryn");
  return join(conventional.trim() ? conventional : join(homedir(), ".local", "share"), "oryn");
}

/** The daemon's folders: `runtime` has its socket while it runs, `data` its token. */
export function daemonFolders(
  environment: NodeJS.ProcessEnv = process.env,
  platform: string = process.platform,
): { runtime: string; data: string } {
  const { ORYN_HOME: moved, XDG_CACHE_HOME: conventional = "", XDG_RUNTIME_DIR: login } = environment;
  const data = join(dataFolder(environment, platform), "daemon");
  if (moved) return { runtime: join(dataFolder(environment, platform), "..", "run"), data };
  if (login && isWritable(login)) return { runtime: join(login, "oryn"), data };
  const usual = platform === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
  const cache = platform !== "darwin" && conventional.trim() ? conventional : usual;
  return { runtime: join(cache, "oryn", "run"), data };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
