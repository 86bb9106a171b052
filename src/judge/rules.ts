import { revisions } from '../protocol/index.ts';
import { bothRules } from './rules/both.ts';
import { clientRules } from './rules/client.ts';
import { formRules } from './rules/forms.ts';
import { serverRules } from './rules/server.ts';

/** The version of the rule set. The major part changes if an id changes its meaning, the minor part if rules come or go. */
export const ruleSetVersion = '1.0';

/** The judged side of the protocol. */
export type JudgedRole = 'server' | 'client';

/** How binding a rule is: MUST and SHOULD, with their negations. */
export type Level = 'MUST' | 'SHOULD';

/** The place of a rule in one revision. */
export interface RulePlace {
  readonly revision: string;
  /** Page and heading, such as `basic/lifecycle#initialization`. */
  readonly section: string;
  /** The address of the page. */
  readonly address: string;
}

/** One rule of the specification. */
export interface JudgedRule {
  /** Stable, since baselines refer to it. The id of the requirements matrix, or `form-…` for a form of the schema. */
  readonly id: string;
  readonly who: JudgedRole | 'both';
  /** The level in most revisions; for the others see `levelOf`. */
  readonly level: Level;
  /** The rule in our words. */
  readonly text: string;
  readonly places: readonly RulePlace[];
  /** The revisions in which it is only a SHOULD, although `level` is MUST. */
  readonly weaker: readonly string[];
}

/** Oldest first: the digits of the rule rows are indices. */
const versions: readonly string[] = revisions.map(({ version }) => version).reverse();

/** The address of a section, such as `basic/lifecycle#initialization`, on the site of the specification. */
export const sectionAddress = (revision: string, section: string): string => `https://modelcontextprotocol.io/specification/${revision}/${section.replace(/\/index(?=#|$)/, '')}`;

function placesOf(cell: string): Pick<JudgedRule, 'places' | 'weaker'> {
  const places: RulePlace[] = [];
  const weaker = new Set<string>();
  const strong = new Set<string>();
  for (const one of cell.split(';')) {
    const [digits = '', section = ''] = one.split(' ');
    for (const digit of digits.replace('?', '')) {
      const revision = versions[Number(digit)] ?? '';
      (digits.endsWith('?') ? weaker : strong).add(revision);
      places.push({ revision, section, address: sectionAddress(revision, section) });
    }
  }
  return { places, weaker: [...weaker].filter((revision) => !strong.has(revision)) };
}

function rulesOf(rows: string, who: JudgedRule['who']): JudgedRule[] {
  return rows.trim().split('\n').map((row) => {
    const [id = '', level, text = '', places = ''] = row.split('|');
    return { id, who, level: level === 'MUST' ? 'MUST' : 'SHOULD', text, ...placesOf(places) };
  });
}

let read: ReadonlyMap<string, JudgedRule> | undefined;

/** All rules by id, in the order of the matrix. */
export function allRules(): ReadonlyMap<string, JudgedRule> {
  read ??= new Map([
    ...rulesOf(serverRules, 'server'), ...rulesOf(clientRules, 'client'), ...rulesOf(bothRules, 'both'), ...rulesOf(formRules, 'both'),
  ].map((rule) => [rule.id, rule]));
  return read;
}

/** The rules that bind a role. */
export const rulesFor = (role: JudgedRole): JudgedRule[] => [...allRules().values()].filter(({ who }) => who === role || who === 'both');

/** Whether a rule holds in this revision. */
export const holdsIn = ({ places }: JudgedRule, revision: string): boolean => places.some((place) => place.revision === revision);

/** The level of a rule in one revision. */
export const levelOf = ({ level, weaker }: JudgedRule, revision: string): Level => (weaker.includes(revision) ? 'SHOULD' : level);
