import { RpcError } from '../../src/jsonrpc/index.ts';
import type { SchemaSource } from '../../src/schema/index.ts';
import type { McpServer } from '../../src/server/index.ts';

// An author whose input the library rejects or corrects. An intact server sends none of it, so the referee finds nothing; a
// mutant of the rejecting line does send it.

const readOnly = { annotations: { readOnlyHint: true } } as const;
/** A value that the library's types forbid in TypeScript: it came from JSON. */
const fromJson = <T>(text: string): T => JSON.parse(text) as T;

export function addCareless(server: McpServer): void {
  const tried: readonly (() => unknown)[] = [
    () => server.tool('taken', { ...readOnly, description: 'A name' }, () => 'x'),
    () => server.tool('taken', { ...readOnly, description: 'A name that is taken' }, () => 'x'),
    () => server.tool('text_input', { ...readOnly, description: 'Arguments that are a text', input: fromJson<SchemaSource>('{"type":"string"}') }, () => 'x'),
    () => server.tool('bad_schema', { ...readOnly, description: 'A schema with a malformed keyword', input: fromJson<SchemaSource>('{"type":"object","properties":{"a":{"type":"string","minLength":"two"}}}') }, () => 'x'),
    () => server.resource('no scheme', { name: 'no scheme' }, () => 'x'),
    () => server.extend({ id: 'noprefix', settings: {} }),
    () => server.tool('bad_url', { ...readOnly, description: 'Asks by what is no URL' }, async (_args, ctx) => (await ctx.elicitUrl('Pay', 'no url')).action),
    () => server.tool('samples_context', { ...readOnly, description: 'Samples with a context' }, async (_args, ctx) =>
      JSON.stringify((await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10, includeContext: 'allServers' })).content)),
    () => server.tool('samples_nobody', { ...readOnly, description: 'Samples with a message of nobody' }, async (_args, ctx) =>
      JSON.stringify((await ctx.sample(fromJson('{"messages":[{"content":{"type":"text","text":"Hello"}}],"maxTokens":10}'))).content)),
    () => server.tool('samples_wrong_use', { ...readOnly, description: 'Samples with a tool use that has no result' }, async (_args, ctx) =>
      JSON.stringify((await ctx.sample(fromJson('{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}},{"role":"assistant","content":[{"type":"tool_use","id":"u","name":"x","input":{}}]},{"role":"user","content":{"type":"text","text":"Go on"}}],"maxTokens":10,"tools":[{"name":"x","inputSchema":{"type":"object"}}]}'))).content)),
    () => server.tool('samples_loose_result', { ...readOnly, description: 'Samples with a tool result that no tool use has' }, async (_args, ctx) =>
      JSON.stringify((await ctx.sample(fromJson('{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}},{"role":"assistant","content":[{"type":"tool_use","id":"u","name":"x","input":{}}]},{"role":"user","content":[{"type":"tool_result","toolUseId":"u","content":[]},{"type":"tool_result","toolUseId":"v","content":[]}]}],"maxTokens":10,"tools":[{"name":"x","inputSchema":{"type":"object"}}]}'))).content)),
    () => server.tool('back', { ...readOnly, description: 'Progress that goes back' }, (_args, ctx) => {
      for (const step of [1, 3, 2, 2]) ctx.progress(step);
      return 'back';
    }),
    () => server.tool('fraction_code', { ...readOnly, description: 'Fails with a fraction as its code' }, () => {
      throw new RpcError(-5.5, 'it fails');
    }),
    () => server.tool('wrong_sum', { ...readOnly, description: 'A sum that is a text', output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } }, () => fromJson<{ sum: number }>('{"sum":"three"}')),
    () => server.prompt('nobody', { description: 'A message of nobody' }, () => fromJson('[{"content":{"type":"text","text":"Hello"}}]')),
    () => server.prompt('asks_nobody', { description: 'No type of content' }, () => fromJson('[{"role":"user","content":{"text":"Hello"}}]')),
    () => server.resource('careless://cached', { name: 'cached', cache: { ttlMs: -5, scope: 'public' } }, () => 'x'),
  ];
  for (const register of tried) {
    try {
      register();
    } catch {
      // Correctly rejected.
    }
  }
}
