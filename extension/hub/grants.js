// What the user has decided: which origin may use which tools (section "Consent Model").
//
// "Always" is on disk. "Once" and "deny" last for ten minutes, in memory: `storage.session`, as the background's own memory
// ends with each suspension. A dangerous tool has no grant that holds: it is asked for at each call.

import { Stored } from './stored.js';

/** Section "Consent Model". */
export const ONCE_MS = 10 * 60_000;
/** In place of a tool's name: all tools, also those of plugins that come later. */
export const ALL = '*';
const MAX_PER_ORIGIN = 1000;

export class Grants {
  #always = new Stored('local', 'grants', {}); // origin: names of tools, or ALL
  #recent = new Stored('session', 'recent', {}); // origin: [{name, allowed, until}], the newest first
  #changed;

  /** `changed()` is called after each change. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** true, false, or null if the user has not decided. The newest decision counts. */
  async decision(origin, name) {
    const recent = own(await this.#recent.read(), origin).filter(({ until }) => until > Date.now());
    const last = recent.find((each) => each.name === name || each.name === ALL);
    if (last) return last.allowed;
    const always = own(await this.#always.read(), origin);
    return always.includes(ALL) || always.includes(name) ? true : null;
  }

  /** Record an answer about tools (or `[ALL]`). "always" or "once" allows, "deny" does not. */
  async record(origin, names, choice) {
    const recent = await this.#recent.read();
    const remains = ({ name, until }) => until > Date.now() && !names.includes(name) && !names.includes(ALL);
    const rest = own(recent, origin).filter(remains);
    const until = Date.now() + ONCE_MS;
    const added = choice === 'always' ? [] : names.map((name) => ({ name, allowed: choice === 'once', until }));
    recent[origin] = [...added, ...rest].slice(0, MAX_PER_ORIGIN);
    await this.#recent.save();
    if (choice === 'always') {
      const always = await this.#always.read();
      always[origin] = [...new Set([...own(always, origin), ...names])].slice(0, MAX_PER_ORIGIN);
      await this.#always.save();
    }
    this.#changed();
  }

  /** Forget all that was decided about an origin, refusals included. */
  async revoke(origin) {
    for (const stored of [this.#always, this.#recent]) {
      delete (await stored.read())[origin];
      await stored.save();
    }
    this.#changed();
  }

  /** For review: `[{origin, name, kind, until}]`; kind is "always", "once" or "deny", `until` is null for "always". */
  async list() {
    const found = [];
    for (const [origin, names] of Object.entries(await this.#always.read())) {
      for (const name of names) found.push({ origin, name, kind: 'always', until: null });
    }
    for (const [origin, decisions] of Object.entries(await this.#recent.read())) {
      for (const { name, allowed, until } of decisions) {
        if (until > Date.now()) found.push({ origin, name, kind: allowed ? 'once' : 'deny', until });
      }
    }
    return found;
  }
}

const own = (map, origin) => (Object.hasOwn(map, origin) ? map[origin] : []);
