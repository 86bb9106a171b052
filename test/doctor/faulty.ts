// A small server written by hand with exactly one fault; `fault` names it.

export interface Told {
  readonly jsonrpc: '2.0';
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly protocolVersion?: string };
}

type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } } | undefined;

const object = { type: 'object', properties: { text: { type: 'string' } } };
const tool = (name: string, more: object = {}): object => ({ name, description: `Does ${name}`, inputSchema: object, ...more });

/** Lists by fault; the default is one correct tool. */
const listed: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  'duplicate-name': { tools: [tool('a'), tool('a')] },
  'name-invalid': { tools: [tool('say hello!'), { description: 'no name', inputSchema: object }] },
  'name-long': { tools: [tool('x'.repeat(65)), tool('files.read')] },
  'description-missing': { tools: [tool('a', { description: undefined })] },
  'schema-missing': { tools: [tool('a', { inputSchema: undefined })] },
  'schema-not-object': { tools: [tool('a', { inputSchema: { type: 'string' } }), tool('b', { outputSchema: { type: 'array', items: {} } })] },
  'schema-invalid': { tools: [tool('a', { inputSchema: { type: 'object', properties: { n: { type: 'nummer' } } } })] },
  'schema-rejected': {
    tools: [
      tool('a', { inputSchema: { type: 'object', anyOf: [{ required: ['x'] }, { required: ['y'] }] } }),
      tool('b', { inputSchema: { type: 'object', properties: { 'a b': {} } } }),
      tool('c', { inputSchema: { type: 'object', properties: { list: { type: 'array' } } } }),
      tool('d', { inputSchema: { type: 'object', properties: { at: { anyOf: [{ $ref: 'https://example.com/schema.json' }] } } } }),
    ],
  },
  'annotations-contradict': { tools: [tool('a', { annotations: { readOnlyHint: true, destructiveHint: true } })] },
  'many-tools': { tools: Array.from({ length: 41 }, (_, n) => tool(`tool-${n}`)) },
  'uri-invalid': { tools: [tool('a')], resources: [{ uri: 'notes.md', name: 'a' }, { uri: 'file:///a', name: 'b' }] },
  'duplicate-uri': { tools: [tool('a')], resources: [{ uri: 'file:///a', name: 'a' }, { uri: 'file:///a', name: 'b' }] },
  'template-invalid': { tools: [tool('a')], resources: [], resourceTemplates: [{ uriTemplate: 'file:///{a', name: 'a' }] },
  'prompt-malformed': { tools: [tool('a')], prompts: [{ name: 'a', arguments: { b: 'x' } }] },
};

const refuse = (code: number, message: string): Answer => ({ error: { code, message } });

/** The answer to one request; undefined: none. `modern`: it supports only 2026-07-28. */
export function answer({ method, params = {} }: Told, fault: string): Answer {
  const modern = /^result-type|^cache-fields|^modern/.test(fault);
  const lists: Readonly<Record<string, readonly unknown[]>> = listed[fault] ?? { tools: [tool('echo')] };
  const capabilities = {
    ...fault !== 'method-without-capability' && fault !== 'nothing-offered' && { tools: {} },
    ...lists['resources'] && { resources: {} },
    ...lists['prompts'] && { prompts: {} },
    ...fault === 'capability-without-method' && { prompts: {}, completions: {}, logging: {} },
  };
  if (fault === 'no-answer') return undefined;
  const complete = modern && fault !== 'result-type-missing' ? { resultType: 'complete' } : {};
  const kept = modern && fault !== 'cache-fields-missing' ? { ttlMs: 0, cacheScope: 'private' } : {};
  if (method === 'server/discover' && modern) {
    return { result: { supportedVersions: ['2026-07-28'], capabilities, ...complete, ...kept } };
  }
  if (method === 'initialize' && !modern) {
    if (fault === 'opening-refused') return refuse(-32603, 'not today');
    if (fault === 'opening-malformed') return { result: { protocolVersion: '2025-11-25' } };
    return { result: { protocolVersion: fault === 'unknown-revision' ? '2025-13-01' : fault === 'wrong-era' ? '2024-11-05' : '2025-11-25', capabilities, serverInfo: { name: 'faulty', version: '1.0.0' } } };
  }
  if (method === 'ping' && !modern && fault !== 'ping-unanswered') return { result: {} };
  if (method === 'tools/list' && fault === 'list-failed') return refuse(-32603, 'the database is down');
  if (method === 'tools/list' && fault === 'list-malformed') return { result: { items: [] } };
  if (method === 'tools/list' && fault === 'nothing-offered') return { result: { tools: [] } };
  if (method === 'tools/list' && fault === 'list-goes-round') {
    const page = params.cursor === 'b' ? 'a' : 'b';
    return { result: { tools: params.cursor === undefined ? [tool('echo')] : [], nextCursor: page } };
  }
  if (method === 'tools/list' && fault === 'list-endless') return { result: { tools: [], nextCursor: String(Number(params.cursor ?? 0) + 1) } };
  const [, member = ''] = /^(?:resources\/(?=templates))?(\w+)\/list$/.exec(method ?? '') ?? [];
  const items = lists[member === 'templates' ? 'resourceTemplates' : member];
  if (items) return { result: { [member === 'templates' ? 'resourceTemplates' : member]: items, ...complete, ...kept } };
  if (fault === 'unknown-method-silent' && method?.startsWith('barewire-doctor')) return undefined;
  if (fault === 'unknown-method-code' && method?.startsWith('barewire-doctor')) return { result: {} };
  return refuse(-32601, `no ${method ?? 'method'}`);
}
