import { visible } from '../explain/safe-text.ts';
import type { ElicitRequestFormParams, Tool } from '../protocol/index.ts';
import { completeForm } from '../protocol/internal-exports.ts';
import type { Form } from '../protocol/internal-exports.ts';
import { Refused, WrongUse } from './exit-codes.ts';
import { fillForm } from '../host/node/elicitation.ts';
import type { Prompter } from '../host/node/prompter.ts';
import type { Style } from '../host/node/style.ts';

/** Provides the prompter for one form. */
export type WithPrompter = <T>(use: (prompter: Prompter) => Promise<T>) => Promise<T>;

/**
 * Asks the person for missing required arguments. Rejects with `WrongUse` if nobody can be asked or an argument is not a
 * simple value, and with `Refused` if the person declines.
 */
export async function completed(
  tool: Tool, args: Readonly<Record<string, unknown>>, style: Style, ask: WithPrompter | undefined,
): Promise<Record<string, unknown>> {
  const { properties, required } = tool.inputSchema;
  const missing = (Array.isArray(required) ? required : []).filter((one): one is string => typeof one === 'string' && !Object.hasOwn(args, one));
  if (missing.length === 0) return { ...args };
  const known = typeof properties === 'object' && properties !== null ? properties as Record<string, unknown> : {};
  const fields = Object.fromEntries(missing.map((one) => [one, known[one]]));
  const simple = Object.values(fields).every((field) => typeof field === 'object' && field !== null && 'type' in field
    && ['string', 'number', 'integer', 'boolean'].includes(String(field.type)));
  if (!ask || !simple) throw new WrongUse(`${visible(tool.name)} needs ${missing.map((one) => `${visible(one)}=…`).join(' ')}`);
  const form = { message: `Arguments of ${tool.name}`, requestedSchema: { type: 'object', properties: fields, required: missing } };
  const answer = await ask((prompter) => fillForm(form as ElicitRequestFormParams, prompter, {
    complete: (schema, content) => completeForm(schema as Form, content), style, from: 'barewire',
  }));
  if (answer.action !== 'accept') throw new Refused('the arguments were not given');
  return { ...args, ...answer.content };
}
