import { isObject } from '../../jsonrpc/internal-exports.ts';
import { logLevelKey } from '../../protocol/internal-exports.ts';
import { answerQuestion, sampleArguments } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { ReceivedAnswer, Arrival, JudgedConversation } from '../conversation.ts';
import { bounds } from '../bounds.ts';
import { listPages } from '../listed.ts';

export type SurveyedListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** All results of a list method. */
export interface SurveyedList {
  readonly method: string;
  /** Whether the server declares the capability. */
  readonly declared: boolean;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** The answers, one for each page. */
  readonly pages: readonly ReceivedAnswer[];
}

/** One call of a tool. */
export interface SurveyedCall {
  readonly tool: Readonly<Record<string, unknown>>;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The last answer, after all rounds. */
  readonly answer: ReceivedAnswer;
  /** The first answer; in the modern era it may be `input_required`. */
  readonly first: ReceivedAnswer;
  /** All arrivals from the request to the last answer. */
  readonly between: readonly Arrival[];
  readonly ms: number;
}

/** The offer of a server in one revision, and the results of using it. */
export interface Survey {
  readonly conversation: JudgedConversation;
  readonly lists: Readonly<Record<SurveyedListName, SurveyedList>>;
  readonly calls: readonly SurveyedCall[];
  readonly reads: readonly { readonly uri: string; readonly answer: ReceivedAnswer }[];
  readonly prompts: readonly { readonly name: string; readonly arguments: Readonly<Record<string, string>>; readonly answer: ReceivedAnswer }[];
}

const listed: readonly (readonly [SurveyedListName, string, string])[] = [
  ['tools', 'tools/list', 'tools'], ['resources', 'resources/list', 'resources'], ['resourceTemplates', 'resources/templates/list', 'resources'], ['prompts', 'prompts/list', 'prompts'],
];

/** Lists everything that is declared; calls, reads and gets the permitted part of it. All messages are judged in passing. */
export async function survey(bench: Bench, conversation: JudgedConversation): Promise<Survey> {
  const lists: Partial<Record<SurveyedListName, SurveyedList>> = {};
  for (const [name, method, capability] of listed) lists[name] = await listAll(conversation, name, method, conversation.offered[capability] !== undefined);
  const all = lists as Record<SurveyedListName, SurveyedList>;
  if (all.tools.declared && conversation.kind === 'pipe' && conversation.offered['logging'] !== undefined && !conversation.modern) await conversation.ask('logging/setLevel', { level: 'debug' });
  const end = await subscribed(bench, conversation, all);
  const calls: SurveyedCall[] = [];
  for (const [tool, given] of callable(bench, all.tools.items)) {
    if (conversation.gone !== undefined) break;
    calls.push(await call(bench, conversation, tool, given));
  }
  await end();
  const reads: { uri: string; answer: ReceivedAnswer }[] = [];
  for (const uri of [...bench.options.items?.resources ?? [], ...all.resources.items.map(({ uri: one }) => one)].filter((one) => typeof one === 'string').slice(0, bounds.reads)) {
    reads.push({ uri, answer: await conversation.ask('resources/read', { uri }) });
  }
  const prompts: { name: string; arguments: Record<string, string>; answer: ReceivedAnswer }[] = [];
  for (const prompt of all.prompts.items.slice(0, bounds.prompts)) {
    const name = String(prompt['name']);
    const given = bench.options.items?.prompts?.find((one) => one.name === name)?.arguments ?? argumentsOf(prompt);
    const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
    prompts.push({ name, arguments: texts, answer: await conversation.ask('prompts/get', { name, arguments: texts }) });
  }
  return { conversation, lists: all, calls, reads, prompts };
}

/** Subscribes only to changes of tools. If calls then change tools, the notifications of the subscription can be judged. */
async function subscribed(bench: Bench, conversation: JudgedConversation, { tools }: Readonly<Record<SurveyedListName, SurveyedList>>): Promise<() => Promise<void>> {
  if (!conversation.modern || !tools.declared || callable(bench, tools.items).length === 0) return () => Promise.resolve();
  const from = conversation.arrivals.length;
  const going = conversation.ask('subscriptions/listen', { notifications: { toolsListChanged: true } }, { timeoutMs: bounds.listenMs });
  const asked = conversation.asked.at(-1);
  await conversation.until(({ json, answers }) => answers === asked || isObject(json) && json['method'] === 'notifications/subscriptions/acknowledged', 1_000, from);
  return async () => {
    if (conversation.kind === 'pipe' && !asked?.done) await conversation.tell('notifications/cancelled', { requestId: asked?.id });
    // Over HTTP the stream is closed by its timeout, or at the end of the conversation.
    void going;
  };
}

/** Sample values for the required arguments of a prompt. */
export function argumentsOf(prompt: Readonly<Record<string, unknown>>): Record<string, string> {
  const list = Array.isArray(prompt['arguments']) ? prompt['arguments'].filter(isObject) : [];
  return Object.fromEntries(list.filter(({ required }) => required === true).map(({ name }) => [String(name), 'judge']));
}

/** The tools that may be called, with their arguments; first those that the user names. */
function callable(bench: Bench, tools: readonly Readonly<Record<string, unknown>>[]): (readonly [tool: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>> | undefined])[] {
  const { items = {} } = bench.options;
  const named = [items.slowTool, items.askingTool, items.failingTool, ...items.tools ?? []].filter((one) => one !== undefined);
  const readOnly = (tool: Readonly<Record<string, unknown>>): boolean => bench.server.open !== undefined && isObject(tool['annotations']) && tool['annotations']['readOnlyHint'] === true;
  const may = bench.options.mayCall ?? readOnly;
  return [
    ...named.flatMap(({ name, arguments: given }) => tools.filter((tool) => tool['name'] === name).map((tool) => [tool, given] as const)),
    ...tools.filter((tool) => may(tool) && !named.some(({ name }) => name === tool['name'])).map((tool) => [tool, undefined] as const),
  ].slice(0, bounds.calls);
}

/** Calls a tool, through all rounds. */
export async function call(
  bench: Bench, conversation: JudgedConversation, tool: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>> = sampleArguments(tool['inputSchema']),
): Promise<SurveyedCall> {
  const from = conversation.arrivals.length;
  const began = bench.clock.monotonic();
  const meta = { progressToken: conversation.nextToken(), ...conversation.modern && conversation.offered['logging'] !== undefined && { [logLevelKey]: 'debug' } };
  const params = { name: tool['name'], arguments: given };
  const how = { meta, timeoutMs: bench.callMs };
  const first = await conversation.ask('tools/call', params, how);
  let answer = first;
  // The judge no longer waits, and cancels the request as a client would.
  if (first.kind === 'silent' && !(conversation.modern && conversation.kind === 'http')) await conversation.tell('notifications/cancelled', { requestId: first.asked.id, reason: 'the judge stopped waiting' });
  for (let round = 0; round < bounds.rounds && answer.result['resultType'] === 'input_required'; round++) {
    answer = await conversation.ask('tools/call', { ...params, ...retried(answer) }, { ...how, meta: { ...meta, progressToken: conversation.nextToken() } });
  }
  return { tool, arguments: given, first, answer, between: conversation.arrivals.slice(from), ms: bench.clock.monotonic() - began };
}

/** The parameters of the next round: answers to the questions, and the state. */
export function retried({ result }: ReceivedAnswer): Record<string, unknown> {
  const { inputRequests, requestState } = result;
  const responses = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, one]) => {
    const question = isObject(one) ? one : {};
    const said = answerQuestion(String(question['method']), isObject(question['params']) ? question['params'] : {});
    return [key, 'result' in said ? said.result : {}] as const;
  });
  return { ...responses.length > 0 && { inputResponses: Object.fromEntries(responses) }, ...requestState !== undefined && { requestState } };
}

async function listAll(conversation: JudgedConversation, name: SurveyedListName, method: string, declared: boolean): Promise<SurveyedList> {
  const pages: ReceivedAnswer[] = [];
  const items: Record<string, unknown>[] = [];
  if (!declared) return { method, declared, items, pages };
  for await (const answer of listPages((params) => conversation.ask(method, params))) {
    pages.push(answer);
    const found = answer.result[name];
    if (Array.isArray(found)) items.push(...found.filter(isObject).slice(0, bounds.items));
    if (pages.length >= bounds.pages || items.length > bounds.items) break;
  }
  return { method, declared, items, pages };
}
