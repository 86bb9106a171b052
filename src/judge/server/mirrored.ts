import { isObject } from '../../jsonrpc/internal-exports.ts';
import { encodeHeaderValue, mirroredParameters, mirroredValue } from '../../protocol/internal-exports.ts';
import { sample, sampleArguments } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { ReceivedAnswer } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';

const needs = 'a tool that may be called and mirrors an argument in a header (x-mcp-header)';

/** A tool with a mirrored argument, and a call of it. */
interface Mirroring {
  readonly name: string;
  readonly header: string;
  readonly path: readonly string[];
  readonly value: string;
  readonly given: Record<string, unknown>;
  readonly required: boolean;
  readonly type: unknown;
}

const fieldAt = (schema: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && isObject(at['properties']) ? at['properties'][name] : undefined), schema);

/** Tools that may be called and whose schema mirrors a top-level argument. */
async function mirroring(bench: Bench, revision: Parameters<Bench['main']>[0]): Promise<Mirroring[]> {
  const { lists: { tools }, calls } = await bench.survey(revision);
  const may = new Set(calls.map(({ tool }) => tool));
  return tools.items.flatMap((tool) => {
    const found = mirroredParameters(tool['inputSchema']);
    if (!('headers' in found) || !may.has(tool)) return [];
    return [...found.headers].flatMap(([header, path]) => {
      const [only, ...deeper] = path;
      if (only === undefined || deeper.length > 0) return [];
      const field = fieldAt(tool['inputSchema'], path);
      const given = { ...sampleArguments(tool['inputSchema']), [only]: sample(field) };
      const value = mirroredValue(given, path);
      const required = isObject(tool['inputSchema']) && Array.isArray(tool['inputSchema']['required']) && tool['inputSchema']['required'].includes(only);
      return value === undefined ? [] : [{ name: String(tool['name']), header, path, value, given, required, type: isObject(field) ? field['type'] : undefined }];
    });
  });
}

/** 2026-07-28 basic/transports/streamable-http#server-behavior-for-custom-headers. */
export const headerProbes: readonly ServerProbe[] = [
  {
    name: 'arguments in headers', over: 'http', era: 'modern', needs,
    rules: ['streamable-http-44', 'streamable-http-46', 'streamable-http-47', 'streamable-http-48', 'streamable-http-49', 'streamable-http-50', 'streamable-http-51', 'streamable-http-56'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      for (const { name, header, path, value, given, required, type } of (await mirroring(bench, revision)).slice(0, 4)) {
        const others = await mirroring(bench, revision);
        const rest = Object.fromEntries(others.filter((one) => one.name === name && one.header !== header && mirroredValue(given, one.path) !== undefined).map((one) => [one.header, encodeHeaderValue(mirroredValue(given, one.path) ?? '')]));
        const ask = (headers: Record<string, string | undefined>, args: Record<string, unknown> = given): Promise<ReceivedAnswer> => conversation.ask('tools/call', { name, arguments: args }, { headers: { ...rest, ...headers } });
        const mismatch = (answer: ReceivedAnswer): boolean => answer.kind === 'error' && answer.code === -32020;
        const refuses = (rules: readonly string[], answer: ReceivedAnswer, why: string): void => {
          if (answer.reply) conversation.check(rules, mismatch(answer) && answer.reply.status === 400, `HTTP 400 with error -32020: ${why}`, `HTTP ${answer.reply.status} ${answer.came}`, answer.asked.text);
        };
        const good = await ask({ [header]: encodeHeaderValue(value) });
        if (good.reply) conversation.check('streamable-http-51', !mismatch(good), 'no error -32020: the header is that of the argument', `HTTP ${good.reply.status} ${good.came}`, good.asked.text);
        refuses(['streamable-http-51', 'streamable-http-46'], await ask({ [header]: encodeHeaderValue(type === 'boolean' ? String(value !== 'true') : type === 'integer' ? String(Number(value) + 1) : `${value}x`) }), `${header} differs from the argument`);
        refuses(['streamable-http-48'], await ask({ [header]: undefined }), `${header} is missing, and the argument is there`);
        refuses(['streamable-http-47'], await ask({ [header]: '=?base64?%%%?=' }), `${header} is not Base64`);
        const encoded = await ask({ [header]: `=?base64?${btoa(value)}?=` });
        if (encoded.reply) conversation.check('streamable-http-44', !mismatch(encoded), 'that the header in Base64 is decoded before it is compared', `HTTP ${encoded.reply.status} ${encoded.came}`, encoded.asked.text);
        if (type === 'string') {
          const [only = ''] = path;
          // A header with bytes above ASCII, which the page excludes even if the text is the same.
          refuses(['streamable-http-47'], await ask({ [header]: 'j\u00fcdge' }, { ...given, [only]: 'j\u00fcdge' }), `${header} has characters that are not ASCII`);
        }
        if (type === 'integer') {
          const decimal = await ask({ [header]: `${value}.0` });
          if (decimal.reply) conversation.check('streamable-http-56', !mismatch(decimal), `that ${value}.0 is the same number as ${value}`, `HTTP ${decimal.reply.status} ${decimal.came}`, decimal.asked.text);
        }
        const [only = ''] = path;
        const empty = await ask({ [header]: undefined }, { ...given, [only]: null });
        if (empty.reply) conversation.check('streamable-http-50', !mismatch(empty), 'no error -32020: the argument is null', `HTTP ${empty.reply.status} ${empty.came}`, empty.asked.text);
        if (required) continue;
        const gone = await ask({ [header]: undefined }, Object.fromEntries(Object.entries(given).filter(([key]) => key !== only)));
        if (gone.reply) conversation.check('streamable-http-49', !mismatch(gone), 'no error -32020: the argument is absent', `HTTP ${gone.reply.status} ${gone.came}`, gone.asked.text);
      }
    },
  },
];
