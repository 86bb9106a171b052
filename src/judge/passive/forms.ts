import { isObject } from '../../jsonrpc/internal-exports.ts';
import { completionsCapability, hasCacheHints, isMetaKey } from '../../protocol/internal-exports.ts';
import type { Arrival, JudgedConversation } from '../conversation.ts';
import { anything, flag, list, number, object, oneOf, text } from './shapes.ts';
import type { ShapeCheck } from './shapes.ts';

// The form of results by method. Source: the schema of each revision.

const annotations = object({ 'audience?': list(oneOf('user', 'assistant')), 'priority?': number });
const contents: ShapeCheck = (value, at) => object({ uri: text, 'mimeType?': text })(value, at)
  ?? (isObject(value) && (typeof value['text'] === 'string' || typeof value['blob'] === 'string') ? undefined : `${at} has neither text nor blob`);

const blocks: Readonly<Record<string, ShapeCheck>> = {
  text: object({ text, 'annotations?': annotations }),
  image: object({ data: text, mimeType: text, 'annotations?': annotations }),
  audio: object({ data: text, mimeType: text, 'annotations?': annotations }),
  resource: object({ resource: contents, 'annotations?': annotations }),
  resource_link: object({ uri: text, name: text, 'annotations?': annotations }),
};

/** A content block. An unknown type is a fault. */
const block: ShapeCheck = (value, at) => {
  if (!isObject(value)) return `${at} is not an object`;
  const { type } = value;
  if (typeof type !== 'string') return `${at}.type is missing`;
  return Object.hasOwn(blocks, type) ? blocks[type]?.(value, at) : `${at}.type is ${JSON.stringify(type).slice(0, 80)}`;
};

const tool = object({
  name: text, 'title?': text, 'description?': text, inputSchema: object(), 'outputSchema?': object(),
  'annotations?': object({ 'title?': text, 'readOnlyHint?': flag, 'destructiveHint?': flag, 'idempotentHint?': flag, 'openWorldHint?': flag }),
});
const resource = object({ uri: text, name: text, 'title?': text, 'description?': text, 'mimeType?': text, 'size?': number, 'annotations?': annotations });
const template = object({ uriTemplate: text, name: text, 'title?': text, 'description?': text, 'mimeType?': text, 'annotations?': annotations });
const prompt = object({ name: text, 'title?': text, 'description?': text, 'arguments?': list(object({ name: text, 'description?': text, 'required?': flag })) });
const page = { 'nextCursor?': text };

interface SchemaForm {
  readonly rule: string;
  readonly check: ShapeCheck;
}

/** By method. */
const forms: Readonly<Record<string, SchemaForm>> = {
  initialize: { rule: 'form-initialize', check: object({ protocolVersion: text, capabilities: object(), serverInfo: object({ name: text, version: text }), 'instructions?': text }) },
  'server/discover': { rule: 'form-discover', check: object({ supportedVersions: list(text), capabilities: object(), 'instructions?': text }) },
  'tools/list': { rule: 'form-tools-list', check: object({ tools: list(tool), ...page }) },
  'tools/call': { rule: 'form-tools-call', check: object({ content: list(block), 'isError?': flag }) },
  'resources/list': { rule: 'form-resources-list', check: object({ resources: list(resource), ...page }) },
  'resources/templates/list': { rule: 'form-templates-list', check: object({ resourceTemplates: list(template), ...page }) },
  'resources/read': { rule: 'form-resources-read', check: object({ contents: list(contents) }) },
  'prompts/list': { rule: 'form-prompts-list', check: object({ prompts: list(prompt), ...page }) },
  'prompts/get': { rule: 'form-prompts-get', check: object({ messages: list(object({ role: oneOf('user', 'assistant'), content: block })), 'description?': text }) },
  'completion/complete': { rule: 'form-complete', check: object({ completion: object({ values: list(text), 'total?': number, 'hasMore?': flag }) }) },
};

/** The rule about cache hints of each method. 2026-07-28 server/utilities/caching. */
const cachingRules: Readonly<Record<string, string>> = {
  'prompts/list': 'caching-4', 'resources/list': 'caching-5', 'resources/read': 'caching-6', 'resources/templates/list': 'caching-7',
  'server/discover': 'caching-8', 'tools/list': 'caching-9',
};

/** Rules that an answer may show, in addition to the rules for every message. */
export const formRuleIds: readonly string[] = [...Object.values(forms).map(({ rule }) => rule), ...Object.values(cachingRules), 'caching-23', 'form-progress', 'form-message', 'lifecycle-11', 'base-12'];

export function judgeForm(conversation: JudgedConversation, arrival: Arrival): void {
  const { json, answers } = arrival;
  if (!isObject(json) || !answers || !isObject(json['result'])) return;
  const { result } = json;
  const form = Object.hasOwn(forms, answers.method) ? forms[answers.method] : undefined;
  if (!form || (result['resultType'] ?? 'complete') !== 'complete') return;
  // 2025-11-25 basic/utilities/tasks: a call as a task has another result.
  if (answers.params['task'] !== undefined && 'task' in result) return;
  const fault = form.check(result, 'result');
  // A server without the completions capability need not send a result of this form; completion-4 is about that.
  if (answers.method === 'completion/complete' && completionsCapability(conversation.revision) && conversation.offered['completions'] === undefined) return;
  conversation.check(form.rule, fault === undefined, fault ?? '', arrival);
  // 2025-11-25 server/prompts#security: outputs must be validated. Whether a malformed message shows a missing validation can be disputed.
  if (answers.method === 'prompts/get' && fault !== undefined) conversation.dispute('prompts-16', `messages that were checked: ${fault}`, arrival);
  if (answers.method === 'initialize') {
    const info = object({ capabilities: object(), serverInfo: object({ name: text, version: text }) })(result, 'result');
    conversation.check('lifecycle-11', info === undefined, info ?? '', arrival);
  }
  const extensions = isObject(result['capabilities']) ? result['capabilities']['extensions'] : undefined;
  if (isObject(extensions) && Object.keys(extensions).length > 0) {
    conversation.check('versioning-4', Object.keys(extensions).every((id) => isMetaKey(id) && id.includes('/')), 'ids of extensions with a prefix', arrival);
  }
  newer(conversation, arrival, result);
  if (conversation.modern && hasCacheHints(answers.method)) judgeHints(conversation, arrival, answers.method, result);
}

function judgeHints(conversation: JudgedConversation, arrival: Arrival, method: string, result: Readonly<Record<string, unknown>>): void {
  const hints = object({ ttlMs: anything, cacheScope: oneOf('public', 'private') })(result, 'result');
  const rule = Object.hasOwn(cachingRules, method) ? cachingRules[method] : undefined;
  if (rule !== undefined) conversation.check(rule, hints === undefined, hints ?? '', arrival);
  if ('ttlMs' in result) conversation.check('caching-23', typeof result['ttlMs'] === 'number' && result['ttlMs'] >= 0, 'ttlMs as a number of 0 or more', arrival);
}

/** The place of the first revision with this content type. */
const since: Readonly<Record<string, number>> = { audio: 1, resource_link: 2 };

/** Disputes content that the revision lacks, since its client cannot read it. Whether a server then "respects" the version is open. */
function newer(conversation: JudgedConversation, arrival: Arrival, result: Readonly<Record<string, unknown>>): void {
  const found = [...Array.isArray(result['content']) ? result['content'] : [], ...(Array.isArray(result['messages']) ? result['messages'] : []).map((one: unknown) => (isObject(one) ? one['content'] : undefined))];
  for (const one of found) {
    const type = isObject(one) && typeof one['type'] === 'string' ? one['type'] : '';
    if (Object.hasOwn(since, type) && conversation.revision.place < (since[type] ?? 0)) {
      conversation.dispute('lifecycle-14', `content that ${conversation.revision.version} has, and not ${type}`, arrival);
    }
  }
}
