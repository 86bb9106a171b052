// Must not compile: each line after an @ts-expect-error is an error, and the file has no other.
import type { Fixture } from './fixture-server.ts';
import { ClientCore, McpClient } from '../../src/client/index.ts';
import type { Context } from '../../src/server/index.ts';
import type { FromSchema, JsonSchema } from '../../src/schema/index.ts';
import { compile } from '../../src/schema/index.ts';
import { ServerCore, tools } from '../../src/server/index.ts';

declare function tool<const S>(schema: S, run: (args: FromSchema<S>) => void): void;

tool(
  {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' }, mode: { enum: ['a', 'b'] } },
    required: ['city'],
  },
  (args) => {
    // @ts-expect-error a wrong property name
    void args.town;
    // @ts-expect-error an optional property may be missing
    args.days.toFixed();
    // @ts-expect-error a string is not a number
    args.city.toFixed();
    // @ts-expect-error not among the enumeration
    void (args.mode === 'c');
  },
);

// @ts-expect-error false describes nothing
const nothing: FromSchema<false> = 1;
void nothing;

// @ts-expect-error a required property is missing
const incomplete: FromSchema<{ properties: { a: { type: 'string' } }; required: ['a'] }> = {};
void incomplete;

// @ts-expect-error a tuple has an end
const pair: FromSchema<{ prefixItems: [{ type: 'number' }]; items: false }> = [1, 2];
void pair;

// @ts-expect-error a schema is not a number
const schema: JsonSchema = 1;
void schema;

// @ts-expect-error the errors are only there when the value is invalid
void compile(true)(1).errors;

tools().add('ask', {}, (_args, ctx) => {
  // @ts-expect-error handlers of a server without `asking` have no questions
  void ctx.elicit('Your name?', { name: { type: 'string' } });
});

// @ts-expect-error a feature whose handlers ask is for a server with `asking`
void new ServerCore({ name: 'small', version: '1' }, { features: [tools<Context>()] });

// @ts-expect-error a server completes nothing that is not for users
void new ServerCore({ name: 'small', version: '1' }).forget;

// @ts-expect-error a client answers no questions but through `answering`
void new ClientCore({ name: 'small', version: '1' }, { onElicit: () => ({ action: 'decline' }) });
// @ts-expect-error a core without parts subscribes to nothing
void new ClientCore({ name: 'small', version: '1' }).subscribe('a:b');

const typed = new McpClient<Fixture>({ name: 'typed', version: '1' });
// @ts-expect-error the server has no such tool
void typed.callTool('ehco', { text: 'x' });
// @ts-expect-error an argument is missing
void typed.callTool('echo');
// @ts-expect-error an argument of another type
void typed.callTool('echo', { text: 'x', times: 'often' });
// @ts-expect-error the tool has no such argument
void typed.callTool('echo', { text: 'x', colour: 'red' });
// @ts-expect-error the prompt needs an argument
void typed.getPrompt('greet');
// @ts-expect-error the result has no such member
void typed.callTool('rows').then(({ structuredContent }) => structuredContent?.columns);
