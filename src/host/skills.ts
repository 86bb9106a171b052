import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import type { CallOptions, McpClient } from '../client/index.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { digestOf } from '../skills/digest.ts';
import { fileOf, getSkill, listSkills, readSkill, readSkillFile, skillsOf } from '../skills/client.ts';
import type { ReadSkillFile } from '../skills/client.ts';
import { SkillError, skillRoot } from '../skills/skill.ts';
import type { Skill } from '../skills/skill.ts';
import type { ActivityLog } from './activity-log.ts';
import type { Reach } from './approvals.ts';
import { HostError } from './errors.ts';
import type { Person } from './person.ts';
import { updateValue } from './store.ts';
import type { HostStore } from './store.ts';

/** A skill of a server. Its identity is the server and the URI: two servers may have the same URI. */
export interface HostSkill {
  /** The server's name in the configuration, never the name that it gives itself. */
  readonly server: string;
  /** For display: the server and the skill's path, since names are not unique. */
  readonly label: string;
  readonly skill: Skill;
}

/** A skill that waits for a person's approval. */
export interface SkillRequest extends HostSkill {
  /** The digest of its URI, its front matter and all its files. An approval is bound to it. */
  readonly digest: string;
  readonly principal: string;
  /** `changed`: it was approved with other files; `dynamic`: its files have no digests, so each load is shown. */
  readonly why: 'new' | 'changed' | 'dynamic';
  /** Other skills with this name, of any server. */
  readonly sameName: readonly HostSkill[];
}

/** A permission to load a skill, as long as no file of it changes. */
export interface SkillGrant {
  readonly server: string;
  readonly uri: string;
  readonly digest: string;
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A file of a loaded skill. */
export interface LoadedSkillFile extends ReadSkillFile {
  /** The text for a model, between two lines that name the server, as in `LoadedSkill`. Missing for a file that is not text. */
  readonly tagged?: string;
}

/**
 * A skill that was approved, read and compared with its entry. Its text comes from the server: untrusted input. It grants nothing, whatever
 * `allowed-tools` or other fields of its front matter say.
 */
export interface LoadedSkill extends HostSkill {
  /** The text of its `SKILL.md` after the front matter. */
  readonly body: string;
  /** The body for a model, between two lines that name the server; the body cannot contain these lines. */
  readonly tagged: string;
  /** Reads another file of the skill from the same server, by its path in the skill; only files of the entry. */
  read(reference: string, options?: CallOptions): Promise<LoadedSkillFile>;
  /** Ends the use of the skill: its body has left the model's context. After that, `read` rejects. */
  close(): void;
}

/** The parts of the host that `hostSkills` needs. */
export interface HostSkillsOptions {
  readonly log: ActivityLog;
  readonly store: HostStore;
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly person?: Person | undefined;
  /** The client of a server, started if it does not run. */
  readonly client: (server: string, signal: AbortSignal | undefined) => Promise<McpClient>;
  /** The name under which the grants for a server are stored. */
  readonly identity: (server: string) => string;
  /** Called for errors outside of any call. */
  readonly onError?: ((error: Error, server: string) => void) | undefined;
}

const storeKey = 'skill-grants';

/** Lists and loads the skills of servers. */
export class HostSkills {
  readonly #options: HostSkillsOptions;
  /** The known entries, by server and URI. */
  readonly #entries = new Map<string, Map<string, Skill>>();
  readonly #loaded = new Set<LoadedSkill>();
  /** Grants of this session. */
  #session: SkillGrant[] = [];
  #keeping: Promise<void> = Promise.resolve();
  /** Skills whose grant was revoked because their files changed. */
  readonly #revoked = new Set<string>();

  constructor(options: HostSkillsOptions) {
    this.#options = options;
  }

  /** The skills that are in use. */
  get loaded(): readonly LoadedSkill[] {
    return [...this.#loaded];
  }

  /** Closes the skills of a server that no longer belongs to the host. */
  forget(server: string): void {
    this.#entries.delete(server);
    for (const one of this.loaded) if (one.server === server) one.close();
  }

  /** See `Host.skills`. */
  async list(server: string, options?: CallOptions): Promise<HostSkill[]> {
    const client = await this.#options.client(server, options?.signal);
    if (!skillsOf(client)) return [];
    const { skills, faults } = await listSkills(client, options);
    for (const fault of faults) this.#options.onError?.(fault, server);
    this.#entries.set(server, new Map(skills.map((skill) => [skill.uri, skill])));
    await this.#revokeChanged(server, skills);
    return skills.map((skill) => hostSkill(server, skill));
  }

  /** See `Host.loadSkill`. */
  async load(server: string, uri: string, options?: CallOptions): Promise<LoadedSkill> {
    const client = await this.#options.client(server, options?.signal);
    // A skill that is not listed may be loaded by its URI: Skills, Listing Skills.
    const skill = this.#entries.get(server)?.get(uri) ?? await getSkill(client, uri, options);
    this.#hold(server, skill);
    await this.#revokeChanged(server, [skill]);
    const one = hostSkill(server, skill);
    await this.#permit(one, options?.signal ?? new AbortController().signal);
    try {
      const { body } = await readSkill(client, skill, options);
      await this.#options.log.record('skill', { server, uri, event: 'loaded' });
      return this.#open(one, body);
    } catch (thrown) {
      // The next load begins with the current entry, and asks again if it differs.
      if (thrown instanceof SkillError) this.#entries.get(server)?.delete(uri);
      await this.#options.log.record('skill', { server, uri, event: 'failed', why: errorMessage(thrown) });
      throw thrown;
    }
  }

  #hold(server: string, skill: Skill): void {
    const held = this.#entries.get(server) ?? new Map<string, Skill>();
    this.#entries.set(server, held.set(skill.uri, skill));
  }

  #open(one: HostSkill, body: string): LoadedSkill {
    const { server, skill } = one;
    // Skills, Lazy Retrieval: compared files are kept, within the limits of a skill.
    const cache = new Map<string, LoadedSkillFile>();
    const loaded: LoadedSkill = {
      ...one,
      body,
      tagged: tagged(server, `skill ${quote(skill.uri)}`, body),
      read: async (reference, options) => {
        if (!this.#loaded.has(loaded)) throw new HostError('refused', `the skill ${one.label} is not in use any more`);
        const uri = fileOf(skill, reference);
        const kept = cache.get(uri);
        if (kept) return kept;
        const plain = await readSkillFile(await this.#options.client(server, options?.signal), skill, uri, options);
        const file = plain.text === undefined ? plain : { ...plain, tagged: tagged(server, `file ${quote(uri)}`, plain.text) };
        if (skill.resources !== 'dynamic') cache.set(uri, file);
        return file;
      },
      close: () => {
        if (!this.#loaded.delete(loaded)) return;
        cache.clear();
        void this.#options.log.record('skill', { server, uri: skill.uri, event: 'closed' });
      },
    };
    this.#loaded.add(loaded);
    return loaded;
  }

  /** Rejects with `refused` unless a grant or the person allows this skill with exactly these files. */
  async #permit(one: HostSkill, signal: AbortSignal): Promise<void> {
    const { person, principal, identity, log, now } = this.#options;
    const { server, skill } = one;
    const { uri } = skill;
    const digest = await skillDigest(skill);
    const isMine = this.#mine(server, uri);
    const granted = (await this.grants()).some((grant) => isMine(grant) && grant.digest === digest);
    const decided = (decision: 'allowed' | 'refused', by: string, more: object = {}): Promise<unknown> =>
      log.record('skill', { server, uri, digest, event: decision, by, ...more });
    // Without digests, nothing shows that the files are the approved ones.
    if (skill.resources !== 'dynamic' && granted) return void await decided('allowed', 'grant');
    if (!person?.approveSkill) {
      await decided('refused', 'default');
      throw new HostError('refused', `${one.label} was not loaded: no person can be asked for consent`);
    }
    const why = skill.resources === 'dynamic' ? 'dynamic' : this.#revoked.has(keyOf(server, uri)) ? 'changed' : 'new';
    const decision = await person.approveSkill({ ...one, digest, principal, why, sameName: this.#sameName(one) }, { server, signal });
    checkOptions<object>('person.approveSkill: decision', decision, { allow: '"once" or "session" or "always" or boolean', by: 'string', reason: 'string' });
    const by = decision.by ?? principal;
    if (typeof decision.allow !== 'string') {
      await decided('refused', by);
      throw new HostError('refused', `${one.label} was not loaded: ${decision.reason ?? 'the person declined'}`);
    }
    if (skill.resources !== 'dynamic') await this.#grant({ server: identity(server), uri, digest, principal, at: now() }, decision.allow);
    await decided('allowed', by, { reach: decision.allow });
  }

  #mine(server: string, uri: string): (grant: SkillGrant) => boolean {
    const [own, { principal }] = [this.#options.identity(server), this.#options];
    return (grant) => grant.server === own && grant.uri === uri && grant.principal === principal;
  }

  /** Skills, Content-bound approval: an entry with other files revokes the grant, also if the old files come back. */
  async #revokeChanged(server: string, skills: readonly Skill[]): Promise<void> {
    const grants = await this.grants();
    for (const skill of skills) {
      const isMine = this.#mine(server, skill.uri);
      if (!grants.some(isMine)) continue;
      const digest = await skillDigest(skill);
      if (await this.revoke((grant) => isMine(grant) && grant.digest !== digest) === 0) continue;
      this.#revoked.add(keyOf(server, skill.uri));
      await this.#options.log.record('skill', { server, uri: skill.uri, digest, event: 'changed' });
    }
  }

  #sameName({ server, skill }: HostSkill): HostSkill[] {
    return [...this.#entries].flatMap(([other, skills]) => [...skills.values()]
      .filter((one) => one.frontmatter.name === skill.frontmatter.name && (other !== server || one.uri !== skill.uri))
      .map((one) => hostSkill(other, one)));
  }

  async #grant(grant: SkillGrant, reach: Reach): Promise<void> {
    if (reach === 'session') this.#session.push(grant);
    if (reach === 'always') await this.#keep((kept) => [...kept, grant]);
  }

  /** The permissions for more than one load. */
  async grants(): Promise<readonly SkillGrant[]> {
    return [...this.#session, ...grantsOf(await this.#options.store.get(storeKey))];
  }

  /** See `Host.revokeSkills`. */
  async revoke(fits: (grant: SkillGrant) => boolean): Promise<number> {
    const before = (await this.grants()).length;
    this.#session = this.#session.filter((grant) => !fits(grant));
    await this.#keep((kept) => kept.filter((grant) => !fits(grant)));
    return before - (await this.grants()).length;
  }

  /** Changes the permanent grants, one change after the other. */
  #keep(change: (kept: readonly SkillGrant[]) => readonly SkillGrant[]): Promise<void> {
    const { store } = this.#options;
    const mine = this.#keeping.then(async () => {
      try {
        await updateValue(store, storeKey, (kept) => change(grantsOf(kept)));
      } catch (thrown) {
        throw new HostError('store-failed', `the grants of skills could not be stored: ${errorMessage(thrown)}`, { cause: thrown });
      }
    });
    this.#keeping = mine.catch(() => {});
    return mine;
  }
}

/** Lets a host list and load skills: `new Host({ skills: hostSkills, … })`. */
export function hostSkills(options: HostSkillsOptions): HostSkills {
  return new HostSkills(options);
}

function hostSkill(server: string, skill: Skill): HostSkill {
  return { server, label: `${server}/${(skillRoot(skill.uri) ?? skill.uri).replace(/^skill:\/\//, '')}`, skill };
}

/** Skills, Origin is visible to the model. A text cannot contain the two lines, since their random id cannot be known before. */
function tagged(server: string, what: string, text: string): string {
  const from = `${what} of the server ${quote(server)}, untrusted, ${crypto.randomUUID()}`;
  return `--- begin: ${from} ---\n${text}\n--- end: ${from} ---\n`;
}

const keyOf = (server: string, uri: string): string => JSON.stringify([server, uri]);

/** The digest to which an approval is bound. */
const skillDigest = ({ uri, frontmatter, resources }: Skill): Promise<string> => digestOf({ uri, frontmatter, resources: sorted(resources) });

/** The files in one fixed order: a server's order means nothing. */
const sorted = (resources: Skill['resources']): unknown =>
  (resources === 'dynamic' ? resources : [...resources].sort((a, b) => (a.uri < b.uri ? -1 : 1)));

/** The application owns the store; a value may be of another version, or foreign. */
function grantsOf(value: unknown): SkillGrant[] {
  return (Array.isArray(value) ? value as unknown[] : []).filter((one): one is SkillGrant =>
    isObject(one) && ['server', 'uri', 'digest', 'principal'].every((name) => typeof one[name] === 'string') && typeof one['at'] === 'number');
}
