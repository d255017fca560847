/** Where Oryn keeps what stays, as its Python side does (docs/settings.md): `ORYN_HOME`, else the platform's folder. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";

export function dataFolder(environment: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  const { ORYN_HOME: moved, XDG_DATA_HOME: conventional = "", LOCALAPPDATA: local } = environment;
  if (moved) return join(resolve(moved.replace(/^~(?=$|[/\\])/, homedir())), "data");
  if (platform === "win32") return join(local ?? join(homedir(), "AppData", "Local"), "oryn");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "oryn");
  return join(conventional.trim() ? conventional : join(homedir(), ".local", "share"), "oryn");
}
