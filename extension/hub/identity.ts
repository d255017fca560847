// Who a plugin is: what it says of itself, and where it comes from.

import type { Plugin } from './protocol';

/** What a plugin says of itself. */
export type PluginIdentity = Pick<Plugin, 'extensionId' | 'name' | 'version' | 'author' | 'homepage' | 'icon'>;

/** Begins the ids of the plugins of a server, and no extension's id. */
const SERVER_PREFIX = 'oryn:';

/** Whether an id is that of a server's plugin. */
export const isOfServer = (id: string): boolean => id.startsWith(SERVER_PREFIX);

/** A page on the web that a plugin names as its home, or null for what is none: other schemes run code or open
 *  programs, and a user name in front of the host looks like one. */
export function homepageUrl(text: string | undefined): URL | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : null;
}
