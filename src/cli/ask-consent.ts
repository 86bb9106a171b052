import { head } from '../explain/safe-text.ts';
import { name as nameOf } from '../explain/words.ts';
import { framed, rowsOf } from '../host/node/frame.ts';
import type { Tool } from '../protocol/index.ts';
import type { Prompter } from '../host/node/prompter.ts';
import type { Style } from '../host/node/style.ts';

/** The most rows of arguments that are shown at once. If the shortened arguments need more, the call is refused. */
const maxRows = 200;

/** The most characters of one string in the arguments. Of a longer string, the beginning and the end are shown. */
const maxText = 1_000;
const shownEnd = 200;

/** A call that was shown to a person. */
interface ShownCall {
  /** All arguments as JSON. */
  readonly whole: string;
  /** Characters of long strings that were left out. */
  readonly left: number;
}

/**
 * Shows server, tool and arguments, with all text from the server in a frame. Undefined: the arguments are too long to
 * show, so nobody can consent to them.
 */
function showCall(
  prompter: Prompter, style: Style, server: string, tool: Tool, args: Readonly<Record<string, unknown>>,
): ShownCall | undefined {
  const { bold, dim, yellow } = style;
  const { columns } = prompter;
  const { readOnlyHint, destructiveHint, title } = tool.annotations ?? {};
  const { outline, left } = outlined(args);
  const { rows, used } = rowsOf(outline, (columns ?? 80) - 3, maxRows);
  if (used < outline.length) {
    prompter.say(`The arguments of ${nameOf(tool.name)} take more than ${rows.length} lines, too many to show: it is not called.`);
    return undefined;
  }
  prompter.say('');
  prompter.say(`${bold(nameOf(server))} will run ${bold(nameOf(tool.name))}${title ? ` (${nameOf(title)})` : ''}`);
  // A long name is cut in the line above, and its end may matter: show it whole.
  if (tool.name.length > 60) for (const row of framed(tool.name, { columns, dim })) prompter.say(row);
  if (tool.description) for (const row of framed(tool.description, { columns, rows: 8, dim, paint: dim })) prompter.say(row);
  prompter.say('with exactly these arguments:');
  for (const row of framed(outline, { columns, rows: maxRows, dim })) prompter.say(row);
  if (left > 0) prompter.say(yellow(`${left.toLocaleString('en')} characters within them are left out here: "m" shows all.`));
  const says = readOnlyHint === true ? 'it only reads'
    : destructiveHint === false ? 'it is not destructive'
      : destructiveHint === true ? 'it may be destructive' : 'nothing, so it may be destructive';
  prompter.say(yellow(`The server says of it: ${says}. Only the server claims this.`));
  return { whole: JSON.stringify(args, null, 2), left };
}

/** The arguments as JSON with every member, long strings cut, and the number of characters left out. */
function outlined(args: Readonly<Record<string, unknown>>): { readonly outline: string; readonly left: number } {
  let left = 0;
  const outline = JSON.stringify(args, (_name, value: unknown) => {
    if (typeof value !== 'string' || value.length <= maxText) return value;
    const [begin, end] = [head(value, maxText - shownEnd), value.slice(-shownEnd)];
    const out = value.length - begin.length - end.length;
    left += out;
    return `${begin} … ${out.toLocaleString('en')} characters … ${end}`;
  }, 2);
  return { outline, left };
}

/**
 * Shows a call and asks the question; after each answer `m`, shows the next part of the full arguments and asks again.
 * Undefined: the arguments are too long to show, and nothing was asked. '': no answer.
 */
export async function askAboutCall(
  prompter: Prompter, style: Style, about: { readonly server: string; readonly tool: Tool; readonly args: Readonly<Record<string, unknown>> },
  question: string, signal?: AbortSignal,
): Promise<string | undefined> {
  const shown = showCall(prompter, style, about.server, about.tool, about.args);
  if (!shown) return undefined;
  for (let rest = shown.whole; ;) {
    const answer = (await prompter.ask(question, signal) ?? '').trim().toLowerCase();
    if (answer !== 'm' || shown.left === 0) return answer;
    const { columns } = prompter;
    const { used } = rowsOf(rest, (columns ?? 80) - 3, maxRows);
    for (const row of framed(rest, { columns, rows: maxRows, dim: style.dim })) prompter.say(row);
    rest = used < rest.length ? rest.slice(used) : shown.whole;
  }
}

/** Shows a call and asks for consent. Only `y` and `yes` are consent. */
export async function askConsent(
  prompter: Prompter, style: Style, server: string, tool: Tool, args: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const answer = await askAboutCall(prompter, style, { server, tool, args }, 'Run it? [y/N] ');
  return answer === 'y' || answer === 'yes';
}
