import { visible } from '../explain/safe-text.ts';
import { isObject, methodNotFoundCode } from '../jsonrpc/internal-exports.ts';
import { quote, shorten } from '../bounds/quote.ts';
import { listPages, nextCursor } from '../judge/listed.ts';
import type { ReceivedAnswer } from '../judge/plain-conversation.ts';
import type { Conversation } from './conversation.ts';
import { finding } from './finding.ts';
import type { Finding } from './finding.ts';
import { examinePrompts, examineResources, examineTemplates, examineTools } from './items.ts';
import type { SchemaCheck } from './items.ts';

/** The most pages requested of one list. */
const maxPages = 200;

/** The result of reading a server's lists. */
export interface ListsReport {
  readonly findings: readonly Finding[];
  /** The number of items of each list: `tools`, `resources`, `resourceTemplates`, `prompts`. */
  readonly counts: Readonly<Record<string, number>>;
}

interface List {
  readonly capability: 'tools' | 'resources' | 'prompts';
  readonly method: string;
  readonly member: string;
  readonly examine: (items: readonly unknown[], check?: SchemaCheck) => Finding[];
  readonly form: string;
  /** The id of the judge's rule that the capability must be declared. */
  readonly declares: string;
  /** The id of the judge's rule that the result must have cache fields. */
  readonly caches: string;
}

const lists: readonly List[] = [
  { capability: 'tools', method: 'tools/list', member: 'tools', examine: examineTools, form: 'tools', declares: 'tools-3', caches: 'caching-9' },
  { capability: 'resources', method: 'resources/list', member: 'resources', examine: examineResources, form: 'resources', declares: 'resources-2', caches: 'caching-5' },
  { capability: 'resources', method: 'resources/templates/list', member: 'resourceTemplates', examine: examineTemplates, form: 'templates', declares: 'resources-2', caches: 'caching-7' },
  { capability: 'prompts', method: 'prompts/list', member: 'prompts', examine: examinePrompts, form: 'prompts', declares: 'prompts-3', caches: 'caching-4' },
];

/** 2025-11-25 schema: the rule about the form of a list, and its section. */
const formOf = ({ form }: List): Pick<Finding, 'rule' | 'where'> => ({ rule: `form-${form}-list`, where: `2025-11-25 schema#list${form === 'templates' ? 'resourcetemplates' : form}result` });

/** Attaches the last request to findings. */
const about = ({ lastAsked }: Conversation, found: readonly Finding[]): Finding[] => found.map((one) => ({ ...one, request: lastAsked }));

/** Describes an outcome that is not a result. */
export function instead(outcome: ReceivedAnswer): string {
  if (outcome.kind === 'silent') return 'got no answer';
  if (outcome.kind === 'failed') return `failed: ${visible(shorten(outcome.came.replaceAll(/\n\s*/g, ' | '), 400))}`;
  return `was answered with error ${quote(outcome.code)}: ${visible(shorten(String(outcome.message)))}`;
}

const unknown = (outcome: ReceivedAnswer): boolean => outcome.kind === 'error' && outcome.code === methodNotFoundCode;

/**
 * Reads every declared list, page by page, and checks every item; also tries lists that are not declared. Calls no tool
 * and reads no resource. `modern`: the revision for the requests; undefined: legacy requests.
 */
export async function examineLists(
  conversation: Conversation, capabilities: Readonly<Record<string, unknown>>, modern: string | undefined, check: SchemaCheck | undefined,
): Promise<ListsReport> {
  const findings: Finding[] = [];
  const counts: Record<string, number> = {};
  const listed: Record<string, unknown[]> = {};
  for (const list of lists) {
    const { capability, method, member, examine, declares } = list;
    if (conversation.gone !== undefined) break;
    if (capabilities[capability] === undefined) {
      if (member === 'resourceTemplates') continue;
      const found = await conversation.ask(method, {}, modern);
      const some = found.kind === 'result' && isObject(found.result) ? found.result[member] : undefined;
      if (Array.isArray(some) && some.length > 0) findings.push(conversation.finding('method-without-capability', `${method} lists ${some.length} ${member}, but the capability ${capability} is not declared.`, { rule: declares, where: `2025-11-25 server/${capability}#capabilities` }));
      continue;
    }
    const all = await allPages(conversation, list, modern, findings);
    if (!all) continue;
    listed[member] = all;
    counts[member] = all.length;
    findings.push(...about(conversation, examine(all, check)));
  }
  if (['tools', 'resources', 'prompts'].every((one) => capabilities[one] === undefined)) findings.push(finding('nothing-offered', 'It declares no tools, no resources and no prompts.'));
  if (modern === undefined) findings.push(...await examineOthers(conversation, capabilities, listed['resources'] ?? []));
  return { findings, counts };
}

/** All items of a list; undefined if it failed or, for templates, does not exist. */
async function allPages(conversation: Conversation, list: List, modern: string | undefined, findings: Finding[]): Promise<unknown[] | undefined> {
  const { method, member } = list;
  const all: unknown[] = [];
  const cursors = new Set<string>();
  let pages = 0;
  for await (const outcome of listPages((params) => conversation.ask(method, params, modern))) {
    pages++;
    if (outcome.kind !== 'result') {
      // A server with resources need not have templates.
      if (unknown(outcome) && member === 'resourceTemplates') return undefined;
      if (unknown(outcome)) findings.push(conversation.finding('capability-without-method', `The capability for ${method} is declared, but the method ${instead(outcome)}.`));
      else findings.push(conversation.finding('list-failed', `${method} ${instead(outcome)}`, { where: `2025-11-25 server/${method.split('/', 1)[0] ?? 'tools'}` }));
      return undefined;
    }
    const { result } = outcome;
    const items = result[member];
    if (!Array.isArray(items)) {
      findings.push(conversation.finding('list-malformed', `The result of ${method} lacks the list ${member}.`, formOf(list)));
      return undefined;
    }
    if (pages === 1 && modern !== undefined) findings.push(...about(conversation, examineModernResult(list, result)));
    all.push(...items as unknown[]);
    const next = nextCursor(outcome);
    if (next === undefined) return all;
    if (typeof next !== 'string') {
      findings.push(conversation.finding('list-malformed', `nextCursor of ${method} is ${quote(next)}, and not a string.`, { rule: formOf(list).rule, where: '2025-11-25 server/utilities/pagination#response-format' }));
      return all;
    }
    if (cursors.has(next)) {
      findings.push(conversation.finding('list-goes-round', `${method} gave the cursor ${visible(quote(next))} twice, on pages ${[...cursors].indexOf(next) + 1} and ${pages}: a client that follows it never ends.`));
      return all;
    }
    if (pages >= maxPages) {
      findings.push(conversation.finding('list-endless', `${method} has more than ${maxPages} pages (${all.length} items so far).`));
      return all;
    }
    cursors.add(next);
  }
  return all;
}

/** Checks the members that every result of 2026-07-28 must have. */
export function examineModernResult({ method, caches }: Pick<List, 'method' | 'caches'>, result: Readonly<Record<string, unknown>>): Finding[] {
  const found: Finding[] = [];
  if (typeof result['resultType'] !== 'string') found.push(finding('result-type-missing', `The result of ${method} has no resultType.`));
  const lacks = ['ttlMs', 'cacheScope'].filter((member) => result[member] === undefined);
  if (lacks.length > 0) found.push(finding('cache-fields-missing', `The result of ${method} has no ${lacks.join(' and no ')}.`, { rule: caches }));
  return found;
}

/** Checks the capabilities without lists. Only a missing method is a problem, since the parameters are invented. */
async function examineOthers(conversation: Conversation, capabilities: Readonly<Record<string, unknown>>, resources: readonly unknown[]): Promise<Finding[]> {
  const { logging, completions, resources: kept } = capabilities;
  const [first] = resources;
  const uri = isObject(first) && typeof first['uri'] === 'string' ? first['uri'] : undefined;
  const tried: (readonly [capability: string, method: string, params: Record<string, unknown>])[] = [
    ...logging !== undefined ? [['logging', 'logging/setLevel', { level: 'warning' }] as const] : [],
    ...completions !== undefined ? [['completions', 'completion/complete', { ref: { type: 'ref/prompt', name: 'barewire-doctor' }, argument: { name: 'any', value: '' } }] as const] : [],
    ...isObject(kept) && kept['subscribe'] === true && uri !== undefined
      ? [['resources.subscribe', 'resources/subscribe', { uri }] as const, ['resources.subscribe', 'resources/unsubscribe', { uri }] as const] : [],
  ];
  const found: Finding[] = [];
  for (const [capability, method, params] of tried) {
    const outcome = await conversation.ask(method, params);
    if (unknown(outcome)) found.push(conversation.finding('capability-without-method', `The capability ${capability} is declared, but ${method} ${instead(outcome)}.`));
  }
  return found;
}
