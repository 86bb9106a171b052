import type { ElicitRequestParams, ElicitResult, ElicitValue } from '../../protocol/index.ts';
import { commandHelp, readAnswerLine } from './answer-line.ts';
import type { Say } from './answer-line.ts';
import { framed } from './frame.ts';
import type { Prompter } from './prompter.ts';
import { style } from './style.ts';
import type { Style } from './style.ts';
import { askToVisit } from './url-question.ts';
import { bag, items, name as nameOf } from '../../explain/words.ts';
import type { MessageMembers } from '../../explain/words.ts';

/** Checks content by a form and applies its defaults: `completeForm` of the schema folder, or a similar function. */
export type CompleteForm = (
  schema: { type: 'object'; properties: MessageMembers; required: string[] },
  content: MessageMembers,
) =>
  | { readonly valid: true; readonly content: MessageMembers }
  | {
      readonly valid: false;
      readonly errors: readonly { readonly property: string; readonly message: string }[];
    };

/** Options for showing a form. */
export interface FormOptions {
  readonly complete: CompleteForm;
  /** The name of the asking side for the person. Default: `The server`. */
  readonly from?: string | undefined;
  /** Default: without colour. */
  readonly style?: Style | undefined;
  /** Ends the form as cancelled when it fires. */
  readonly signal?: AbortSignal | undefined;
}

interface FormField {
  readonly name: string;
  readonly schema: MessageMembers;
  readonly required: boolean;
  /** The choices; empty if any text is allowed. */
  readonly choices: readonly { readonly value: string; readonly title: string }[];
}

/** Examples of the formats. */
const formats: Readonly<Record<string, string>> = {
  date: ' (YYYY-MM-DD)', 'date-time': ' (YYYY-MM-DDTHH:MM:SSZ)', email: ' (name@example.com)', uri: ' (https://...)',
};

function choicesOf(schema: MessageMembers): FormField['choices'] {
  const from = schema.type === 'array' ? bag(schema.items) : schema;
  const titles = items(from.enumNames);
  const all = [
    ...[...items(from.oneOf), ...items(from.anyOf)].map((one) => [bag(one).const, bag(one).title]),
    ...items(from.enum).map((value, i) => [value, titles[i]]),
  ];
  return all.flatMap(([value, title]) =>
    typeof value === 'string' ? [{ value, title: typeof title === 'string' ? title : value }] : [],
  );
}

function fieldsOf(requestedSchema: unknown): FormField[] {
  const { properties, required } = bag(requestedSchema);
  const needed = items(required);
  return Object.entries(bag(properties)).map(([name, value]) => {
    const schema = bag(value);
    return { name, schema, required: needed.includes(name), choices: choicesOf(schema) };
  });
}

// Converts the person's text to the type of the field. Text that does not fit stays a string, and `complete` refuses
// it: one function produces all error messages.
function read(text: string, { schema, choices }: FormField): ElicitValue {
  const word = text.trim();
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const choose = (one: string): string =>
    (
      choices.find(({ value }) => value === one) ??
      choices.find(({ value, title }) => same(value, one) || same(title, one)) ??
      (/^\d{1,4}$/.test(one) ? choices[Number(one) - 1] : undefined)
    )?.value ?? one;
  switch (schema.type) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(word)) return true;
      return /^(n|no|false)$/i.test(word) ? false : word;
    case 'number':
    case 'integer': {
      const number = Number(word);
      return word !== '' && Number.isFinite(number) ? number : word;
    }
    case 'array':
      return same(word, 'none') ? [] : word.split(',').map((one) => choose(one.trim()));
    default:
      return choices.length > 0 ? choose(word) : text;
  }
}

/** A value in the form in which the person would type it. */
function written(value: unknown, field: FormField): string {
  const one = (item: unknown): string => {
    if (typeof item === 'boolean') return item ? 'yes' : 'no';
    return nameOf(field.choices.find((choice) => choice.value === item)?.title ?? item, 200);
  };
  return Array.isArray(value) ? value.slice(0, 50).map(one).join(', ') || 'none' : one(value);
}

/**
 * Shows a server's question in a terminal, and returns the person's answer. A form is asked one property after
 * another; if an answer breaks a rule, the reason is shown and the property is asked again. The whole form is shown
 * before it is sent. A page is shown with its whole address and never opened. The person can decline and cancel at
 * every prompt; the end of the input, Ctrl-C and the signal cancel. Never throws for anything that a server may send.
 */
export async function fillForm(
  params: ElicitRequestParams,
  prompter: Prompter,
  options: FormOptions,
): Promise<ElicitResult> {
  const { bold } = options.style ?? style(false);
  const say = (...lines: readonly string[]): void => lines.forEach((line) => prompter.say(line));
  say('', `${bold(nameOf(options.from ?? 'The server'))} asks:`, ...cited(params.message, prompter, options));
  return params.mode === 'url'
    ? askToVisit(params.url, prompter, options.style ?? style(false), options.signal, say)
    : fill(params, prompter, options, say);
}

/** The server's text in a frame, so that none of its lines looks like one of ours. */
function cited(text: unknown, { columns }: Prompter, options: FormOptions): string[] {
  return framed(typeof text === 'string' ? text : '', { columns, dim: (options.style ?? style(false)).dim });
}

/** A form while a person fills it in. */
interface OpenForm {
  readonly fields: readonly FormField[];
  readonly answers: Map<string, ElicitValue>;
  readonly prompter: Prompter;
  readonly options: FormOptions;
  readonly style: Style;
  readonly say: Say;
}

/** The next step: the field with this index (after the last one: the review), or the result. */
type FormStep = number | ElicitResult;

async function fill(params: { requestedSchema: unknown }, prompter: Prompter, options: FormOptions, say: Say): Promise<ElicitResult> {
  const form: OpenForm = {
    fields: fieldsOf(params.requestedSchema), answers: new Map(), prompter, options, style: options.style ?? style(false), say,
  };
  say(form.style.dim(commandHelp));
  let step: FormStep = 0;
  while (typeof step === 'number') {
    const field: FormField | undefined = form.fields[step];
    step = field ? await askField(form, field, step) : await review(form);
  }
  return step;
}

/** Checks the answers to some fields, and applies defaults. */
function judge({ answers, options }: OpenForm, some: readonly FormField[]): ReturnType<CompleteForm> {
  return options.complete(
    {
      type: 'object',
      properties: Object.fromEntries(some.map(({ name, schema }) => [name, schema])),
      required: some.filter(({ required }) => required).map(({ name }) => name),
    },
    Object.fromEntries(some.filter(({ name }) => answers.has(name)).map(({ name }) => [name, answers.get(name)])),
  );
}

function showField({ fields, prompter, options, style: { bold, dim }, say }: OpenForm, field: FormField, at: number): void {
  const { name, schema, required, choices } = field;
  const title = bold(nameOf(typeof schema.title === 'string' ? schema.title : name));
  say('', `${dim(`${at + 1}/${fields.length}`)} ${title}${required ? '' : dim(' (optional)')}`);
  if (schema.description !== undefined) say(...cited(schema.description, prompter, options));
  choices.slice(0, 200).forEach(({ value, title }, i) => {
    say(`  ${i + 1}) ${nameOf(title)}${title === value ? '' : dim(` (${nameOf(value)})`)}`);
  });
  if (choices.length > 200) say(dim(`  … and ${choices.length - 200} more, by their names.`));
  if (schema.type === 'array') say(dim('  Choose any number of them, with commas between, or none.'));
}

/** Asks for one field until its answer is valid. */
async function askField(form: OpenForm, field: FormField, at: number): Promise<FormStep> {
  const { answers, prompter, options, style: { red, cyan }, say } = form;
  const { name, schema } = field;
  showField(form, field, at);
  const given = answers.get(name) ?? schema.default;
  const offer = given === undefined ? '' : ` [${cyan(written(given, field))}]`;
  const kind = schema.type === 'boolean' ? ' (yes/no)' : formats[String(schema.format)] ?? '';
  for (;;) {
    const line = await readAnswerLine(prompter, `  ${nameOf(name)}${kind}${offer}: `, options.signal, say);
    if (typeof line !== 'string') {
      if (line.command === 'decline' || line.command === 'cancel') return { action: line.command };
      if (line.command === 'back') return Math.max(0, at - 1);
    }
    const before = answers.get(name);
    if (typeof line !== 'string') answers.delete(name);
    else if (line.trim() !== '') answers.set(name, read(line, field));
    const judged = judge(form, [field]);
    if (judged.valid) return at + 1;
    // A refused answer is not offered again; the one before it is.
    if (before === undefined) answers.delete(name);
    else answers.set(name, before);
    say(red(`  Invalid answer: it ${nameOf(judged.errors[0]?.message ?? 'is not valid', 300)}.`));
  }
}

/**
 * Shows the whole form, and asks whether to send it. 2025-06-18 client/elicitation#response-actions,
 * #security-considerations: review before sending.
 */
async function review(form: OpenForm): Promise<FormStep> {
  const { fields, prompter, options, style: { red, cyan }, say } = form;
  const judged = judge(form, fields);
  if (!judged.valid) {
    const { property, message } = judged.errors[0] ?? { property: '', message: 'is not valid' };
    say(red(`  ${nameOf(property)} ${nameOf(message, 300)}.`));
    return fields.length === 0 ? { action: 'cancel' } : Math.max(0, fields.findIndex(({ name }) => name === property));
  }
  // `complete` has checked that these are values of a form.
  const content = judged.content as Record<string, ElicitValue>;
  say('', fields.length ? 'This is what will be sent:' : 'There is nothing to fill in.');
  for (const field of fields) {
    if (!Object.hasOwn(content, field.name)) continue;
    const value = content[field.name];
    // A default that is too long for one line is sent as well: show as much as fits, and count the rest.
    if (typeof value === 'string' && value.length > 200) say(`  ${nameOf(field.name)}:`, ...cited(value, prompter, options));
    else say(`  ${nameOf(field.name)}: ${cyan(written(value, field))}`);
  }
  for (;;) {
    const line = await readAnswerLine(prompter, '  Send it? (yes/no) [yes]: ', options.signal, say);
    const word = typeof line === 'string' ? line.trim() : line.command;
    if (word === 'decline' || word === 'cancel') return { action: word };
    if (/^(y|yes|)$/i.test(word)) return { action: 'accept', content };
    if (word === 'back' || /^(n|no)$/i.test(word)) {
      if (fields.length === 0) return { action: 'decline' };
      return word === 'back' ? fields.length - 1 : 0;
    }
  }
}
