// What the user has decided: which origin may use which tools (docs/spec/plugin-protocol.md#consent).
//
// A decision is about tools by their names, or about all, also those of plugins that come later: that is a state of its own,
// which no name can stand for. Where names are expected, null is for all.
//
// "Always" is on disk. "Once" and "deny" last for ten minutes, in memory: `storage.session`, as the background's own memory
// ends with each suspension. A dangerous tool has no grant that holds: it is asked for at each call.

import type { Answered, Grant } from './messages';
import { Stored } from './stored';
import { isFields } from '../values';

/** What an origin may always use. */
interface Lasting {
  all: boolean;
  names: string[];
}

/** What holds for ten minutes: the user's choice, or that they have not answered or may not be asked. */
interface Recent {
  name: string | null;
  choice: Exclude<Grant['kind'], 'always'>;
  until: number;
}

const ONCE_MS = 10 * 60_000;
/** Questions of an origin that the user has seen and not answered, after which it counts as refused. */
const MAX_IGNORED = 3;
const MAX_PER_ORIGIN = 1000;

export class Grants {
  readonly #always = new Stored<Record<string, Lasting>>('local', 'grants', {}); // by origin
  readonly #recent = new Stored<Record<string, Recent[]>>('session', 'recent', {}); // by origin, the newest first
  readonly #changed: () => void;

  /** `changed()` is called after each change. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** true, false, or null if the user has not decided. The newest decision counts. */
  async decision(origin: string, name: string | null): Promise<boolean | null> {
    const isAnswer = (each: Recent) => isDecision(each) && (each.name === null || each.name === name);
    const last = (await this.#recentOf(origin)).find(isAnswer);
    if (last) return last.choice === 'once';
    const { all, names } = alwaysOf(await this.#always.read(), origin);
    return all || (name !== null && names.includes(name)) ? true : null;
  }

  /** Whether an origin may ask nothing now, as the user has refused or ignored what it has asked. */
  async isSilenced(origin: string): Promise<boolean> {
    const choices = (await this.#recentOf(origin)).map(({ choice }) => choice);
    if (choices.includes('deny') || choices.includes('silenced')) return true;
    return choices.filter((each) => each === 'ignored').length >= MAX_IGNORED;
  }

  /** Let an origin ask nothing for a while, without a decision about tools. */
  async silence(origin: string): Promise<void> {
    await this.#add(origin, { name: null, choice: 'silenced' });
  }

  /** Record an answer: "always" or "once" allows, "deny" does not, and "ignored" is a question without an answer. */
  async record(origin: string, names: string[] | null, choice: Exclude<Answered, 'withdrawn'>): Promise<void> {
    if (choice === 'ignored') return this.#add(origin, { name: names?.[0] ?? null, choice });
    const recent = await this.#recent.read();
    const remains = (each: Recent) =>
      each.choice === 'silenced' ||
      (isDecision(each) && names !== null && (each.name === null || !names.includes(each.name)));
    const rest = (await this.#recentOf(origin)).filter(remains);
    const until = Date.now() + ONCE_MS;
    const added: Recent[] = choice === 'always' ? [] : (names ?? [null]).map((name) => ({ name, choice, until }));
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
  }

  async #add(origin: string, entry: Omit<Recent, 'until'>): Promise<void> {
    const recent = await this.#recent.read();
    const added = { ...entry, until: Date.now() + ONCE_MS };
    recent[origin] = [added, ...(await this.#recentOf(origin))].slice(0, MAX_PER_ORIGIN);
    await this.#recent.save();
    this.#changed();
  }

  /** Forget all that was decided about an origin, refusals included. */
  async revoke(origin: string): Promise<void> {
    for (const stored of [this.#always, this.#recent]) {
      Reflect.deleteProperty(await stored.read(), origin);
      await stored.save();
    }
    this.#changed();
  }

  /** For review. */
  async list(): Promise<Grant[]> {
    const found: Grant[] = [];
    const always = await this.#always.read();
    for (const origin of Object.keys(always)) {
      const { all, names } = alwaysOf(always, origin);
      for (const name of all ? [null, ...names] : names) found.push({ origin, name, kind: 'always', until: null });
    }
    for (const origin of Object.keys(await this.#recent.read())) {
      for (const { name, choice, until } of await this.#recentOf(origin))
        found.push({ origin, name, kind: choice, until });
    }
    return found;
  }

  /** The decisions about an origin that still hold, the newest first. */
  async #recentOf(origin: string): Promise<Recent[]> {
    const recent = await this.#recent.read();
    const entries = (Object.hasOwn(recent, origin) && recent[origin]) || [];
    return entries.filter(({ until }) => until > Date.now());
  }
}

const isDecision = ({ choice }: Recent) => choice === 'once' || choice === 'deny';

/** What an origin may always use. What is stored in another form grants nothing: earlier versions had a name for all tools,
 *  which pages could ask for. */
function alwaysOf(stored: Record<string, Lasting>, origin: string): Lasting {
  const lasting: unknown = Object.hasOwn(stored, origin) ? stored[origin] : null;
  if (!isFields(lasting)) return { all: false, names: [] };
  const { all, names } = lasting;
  return { all: all === true, names: Array.isArray(names) ? (names as string[]) : [] };
}
