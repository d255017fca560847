// What the user has decided: which origin may use which tools (docs/spec/plugin-protocol.md#consent).
//
// A decision is about tools by their names, or about all, also those of plugins that come later: that is a state of its own,
// which no name can stand for. Where names are expected, null is for all.
//
// "Always" is on disk. "Once" and "deny" last for ten minutes, in memory: `storage.session`, as the background's own memory
// ends with each suspension. A dangerous tool has no grant that holds: it is asked for at each call.

import { Stored } from './stored.js';

const ONCE_MS = 10 * 60_000;
/** Questions of an origin that the user has seen and not answered, after which it counts as refused. */
const MAX_IGNORED = 3;
const MAX_PER_ORIGIN = 1000;

export class Grants {
  #always = new Stored('local', 'grants', {}); // origin: {all, names}
  // origin: [{name, choice, until}], the newest first; name may be null. The choice of the user, or "ignored" or "silenced".
  #recent = new Stored('session', 'recent', {});
  #changed;

  /** `changed()` is called after each change. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** true, false, or null if the user has not decided. The newest decision counts. */
  async decision(origin, name) {
    const isAnswer = (each) => isDecision(each) && (each.name === null || each.name === name);
    const last = (await this.#recentOf(origin)).find(isAnswer);
    if (last) return last.choice === 'once';
    const { all, names } = alwaysOf(await this.#always.read(), origin);
    return all || names.includes(name) ? true : null;
  }

  /** Whether an origin may ask nothing now, as the user has refused or ignored what it has asked. */
  async isSilenced(origin) {
    const choices = (await this.#recentOf(origin)).map(({ choice }) => choice);
    if (choices.includes('deny') || choices.includes('silenced')) return true;
    return choices.filter((each) => each === 'ignored').length >= MAX_IGNORED;
  }

  /** Let an origin ask nothing for a while, without a decision about tools. */
  async silence(origin) {
    await this.#add(origin, { name: null, choice: 'silenced' });
  }

  /** Record an answer: "always" or "once" allows, "deny" does not, and "ignored" is a question without an answer. */
  async record(origin, names, choice) {
    if (choice === 'ignored') return this.#add(origin, { name: names?.[0] ?? null, choice });
    const recent = await this.#recent.read();
    const remains = (each) => each.choice === 'silenced' || (isDecision(each) && names !== null && !names.includes(each.name));
    const rest = (await this.#recentOf(origin)).filter(remains);
    const subjects = choice === 'always' ? [] : (names ?? [null]);
    const added = subjects.map((name) => ({ name, choice, until: Date.now() + ONCE_MS }));
    recent[origin] = [...added, ...rest].slice(0, MAX_PER_ORIGIN);
    await this.#recent.save();
    if (choice === 'always') {
      const always = await this.#always.read();
      const old = alwaysOf(always, origin);
      const together = [...new Set([...old.names, ...(names ?? [])])].slice(0, MAX_PER_ORIGIN);
      always[origin] = { all: old.all || names === null, names: together };
      await this.#always.save();
    }
    this.#changed();
    return undefined;
  }

  async #add(origin, entry) {
    const recent = await this.#recent.read();
    const added = { ...entry, until: Date.now() + ONCE_MS };
    recent[origin] = [added, ...(await this.#recentOf(origin))].slice(0, MAX_PER_ORIGIN);
    await this.#recent.save();
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

  /** For review: `[{origin, name, kind, until}]`; name is null for all tools, kind is "always", "once", "deny", "ignored"
   *  or "silenced", `until` is null for "always". */
  async list() {
    const found = [];
    const always = await this.#always.read();
    for (const origin of Object.keys(always)) {
      const { all, names } = alwaysOf(always, origin);
      for (const name of all ? [null, ...names] : names) found.push({ origin, name, kind: 'always', until: null });
    }
    for (const origin of Object.keys(await this.#recent.read())) {
      for (const { name, choice, until } of await this.#recentOf(origin)) found.push({ origin, name, kind: choice, until });
    }
    return found;
  }

  /** The decisions about an origin that still hold, the newest first. */
  async #recentOf(origin) {
    const recent = await this.#recent.read();
    return Object.hasOwn(recent, origin) ? recent[origin].filter(({ until }) => until > Date.now()) : [];
  }
}

const isDecision = ({ choice }) => choice === 'once' || choice === 'deny';

/** What an origin may always use. What is stored in another form grants nothing: earlier versions had a name for all tools,
 *  which pages could ask for. */
function alwaysOf(stored, origin) {
  const { all, names } = (Object.hasOwn(stored, origin) && stored[origin]) || {};
  return { all: all === true, names: Array.isArray(names) ? names : [] };
}
