// Must compile: the types that FromSchema infers.
import type { Fixture } from './fixture-server.ts';
import { answering, ClientCore, listening, McpClient, resultCache } from '../../src/client/index.ts';
import type { FromSchema, JsonSchema } from '../../src/schema/index.ts';
import { asking, McpServer, prompts, ServerCore, tools } from '../../src/server/index.ts';
import type { Context } from '../../src/server/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The schema parameter of `server.tool`: inline, without `as const`. */
declare function tool<const S>(schema: S, run: (args: FromSchema<S>) => void): FromSchema<S>;
declare function filled<const S>(schema: S): FromSchema<S, true>;
declare function same<A>(): <B>(value: B, ...proof: Equal<A, B> extends true ? [] : [never]) => void;

const trip = tool(
  {
    type: 'object',
    properties: {
      destination: { type: 'string', minLength: 2, description: 'a city' },
      date: { type: 'string', format: 'date' },
      class: { enum: ['economy', 'business'] },
      kind: { const: 'trip' },
      note: { type: ['string', 'null'] },
      tags: { type: 'array', items: { type: 'string' } },
      place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
      passengers: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer' } },
          required: ['name'],
        },
      },
    },
    required: ['destination', 'passengers'],
    additionalProperties: false,
  },
  (args) => {
    args.destination.toUpperCase();
    for (const { name, age } of args.passengers) name.padEnd(age ?? 1);
  },
);
same<{
  destination: string;
  passengers: { name: string; age?: number }[];
  date?: string;
  class?: 'economy' | 'business';
  kind?: 'trip';
  note?: string | null;
  tags?: string[];
  place?: [number, number];
}>()(trip);

same<string>()(tool({ type: 'string' }, () => {}));
same<string | number | null>()(tool({ type: ['string', 'integer', 'null'] }, () => {}));
same<unknown>()(tool({}, () => {}));
same<unknown>()(tool(true, () => {}));
same<{ a: unknown }>()(tool({ required: ['a'] }, () => {}));
same<{ [name: string]: unknown }>()(tool({ type: 'object' }, () => {}));
same<{ [name: string]: number }>()(
  tool({ type: 'object', additionalProperties: { type: 'number' } }, () => {}),
);
same<[string, ...number[]]>()(
  tool({ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, () => {}),
);

same<{ a: string } | { b: number }>()(
  tool(
    {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
      ],
    },
    () => {},
  ),
);
same<{ a: string; b?: number }>()(
  tool(
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'number' } } },
      ],
    },
    () => {},
  ),
);
same<{ kind: 'x'; a: string } | { kind: 'x'; b: number }>()(
  tool(
    {
      type: 'object',
      properties: { kind: { const: 'x' } },
      required: ['kind'],
      oneOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'number' } }, required: ['b'] },
      ],
    },
    () => {},
  ),
);

interface Tree {
  value: number;
  children?: Tree[];
}
const tree = tool(
  {
    $ref: '#/$defs/tree',
    $defs: {
      tree: {
        type: 'object',
        properties: {
          value: { type: 'number' },
          children: { type: 'array', items: { $ref: '#/$defs/tree' } },
        },
        required: ['value'],
      },
    },
  },
  () => {},
);
const plain: Tree = tree;
tree.children?.[0]?.children?.[0]?.value.toFixed();
void plain;

// A default is present after it has been filled in.
same<{ limit: number; query?: string }>()(
  filled({
    type: 'object',
    properties: { limit: { type: 'number', default: 10 }, query: { type: 'string' } },
  }),
);

// A schema known only as `JsonSchema` gives no type.
declare const loaded: JsonSchema;
same<unknown>()(tool(loaded, () => {}));

const asks = tools<Context>();
void new ServerCore({ name: 'small', version: '1' }, { asking: asking(), features: [asks, prompts()] });
asks.add('ask', {
  input: { type: 'object', properties: { a: { type: 'string' } } },
}, async ({ a = '' }, ctx) => {
  const { action } = await ctx.elicit(a, { name: { type: 'string' } });
  return action;
});
// McpServer is the core with every feature.
const whole: ServerCore = new McpServer({ name: 'whole', version: '1' });
void whole;

const caller = new ClientCore({ name: 'small', version: '1' }, {
  answering: answering({ onElicit: ({ message }) => ({ action: 'accept', content: { message } }) }),
  listening: listening(),
  cache: resultCache(),
});
void caller;
// McpClient is the core with every part.
const host: ClientCore = new McpClient({ name: 'whole', version: '1' }, { cache: false, onElicit: () => ({ action: 'cancel' }) });
void host;

// The output of `barewire types`: names, arguments and results of one server.
const typed = new McpClient<Fixture>({ name: 'typed', version: '1' });
void typed.callTool('echo', { text: 'x', times: 2 });
void typed.callTool('wipe');
void typed.callTool('wipe', {}, { timeoutMs: 5 });
same<unknown[] | undefined>()((await typed.callTool('rows')).structuredContent?.rows);
same<number | undefined>()((await typed.callTool<{ a: number }>('wipe')).structuredContent?.a);
void typed.getPrompt('greet', { who: 'Ada' });
// An untyped server accepts every name.
const untyped = new McpClient({ name: 'untyped', version: '1' });
same<unknown>()((await untyped.callTool('any', { a: 1 })).structuredContent);
same<{ a: 1 } | undefined>()((await untyped.callTool<{ a: 1 }>('any')).structuredContent);
void untyped.getPrompt('any');
const either: McpClient = typed;
void either;
