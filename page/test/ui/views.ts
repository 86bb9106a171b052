// Views as a host sends them, with the changes of a test.
import type { CallView, CatalogueView, HostMessage, ServerView, Welcome, WireEntry, WireMemory, WireMessage } from '../../src/messages.ts';

export const memory: WireMemory = { entries: 0, bytes: 0, maxEntries: 100_000, maxBytes: 64 * 1024 * 1024, droppedEntries: 0, droppedBytes: 0 };

export function serverView(name: string, change: Partial<ServerView> = {}): ServerView {
  return {
    name, target: { kind: 'program', command: 'node', args: [`${name}.js`], cwd: null, env: [] }, source: 'configuration', state: 'ready', why: '', disabled: false,
    trusted: false, era: 'auto',
    agreed: { revision: '2026-07-28', era: 'modern', server: { name, version: '1.0.0' }, capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} }, instructions: null },
    declared: { elicitation: { form: {} } }, restarts: 0, connection: 1, readySince: 1_790_000_000_000, startMs: 41, latencyMs: 1.2, roots: [], logLevel: null, subscriptions: [], login: 'none', inFlight: 0, ...change,
  };
}

export function catalogueView(server: string, change: Partial<CatalogueView> = {}): CatalogueView {
  return { server, tools: [], prompts: [], resources: [], templates: [], listedAt: 1_790_000_000_000, listing: 1, ...change };
}

export function toolView(name: string, inputSchema: Record<string, unknown>, change: Partial<CatalogueView['tools'][number]['tool']> = {}): CatalogueView['tools'][number] {
  return { tool: { name, inputSchema: { type: 'object', ...inputSchema }, ...change }, name, digest: `digest of ${name}`, pin: 'accepted', change: null, app: false };
}

export function callView(call: number, change: Partial<CallView> = {}): CallView {
  return {
    call, server: 'one', about: { kind: 'tool', name: 'echo', args: {} }, state: 'done', progress: null, startedAt: 1_790_000_000_000, endedAt: 1_790_000_000_020,
    task: null, result: { content: [] }, failure: null, outputFault: '', wire: null, ...change,
  };
}

export function wireMessage(seq: number, change: Partial<WireMessage> = {}): WireEntry {
  const text = change.text ?? JSON.stringify({ jsonrpc: '2.0', id: seq, method: 'ping' });
  return {
    kind: 'message', seq, at: 1_790_000_000_000 + seq, server: 'one', connection: 1, direction: 'sent', exchange: null, text, chars: text.length, whole: true, shape: 'request',
    method: 'ping', rpcId: String(seq), answers: null, ms: null, sentence: 'The client asks whether the server is still there', section: '2025-11-25 basic/utilities/ping', origin: 'peer', event: null, ...change,
  };
}

export function welcome(change: Partial<Welcome> = {}): HostMessage {
  return {
    type: 'welcome', version: 1, carrier: 'local', features: { add: true, save: true, login: true, model: false, judge: true, imports: [] }, barewire: '0.1.0', servers: [serverView('one')], catalogues: [],
    questions: [], calls: [], tasks: [], saved: null, judgings: [], holds: [], recordings: [], logins: [], activity: [], logs: [], wire: [], memory, ...change,
  };
}
