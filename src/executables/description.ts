import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import type { ToolAnnotations } from '../protocol/index.ts';
import type { JsonSchema } from '../schema/index.ts';
import type { ExecutableFile } from './file-checks.ts';
import type { ExecutableLimits } from './limits.ts';
import { excerpt } from './tool-process.ts';
import type { Runner } from './tool-process.ts';

/** The description that an executable prints for `--schema`. */
export interface ToolDescription {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of `params`. */
  readonly parameters: JsonSchema;
  /** JSON Schema of `result`. */
  readonly output?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /**
   * `open`: the tool reads stdin line by line, and gets answers as further lines. Default: stdin ends after the first
   * line.
   */
  readonly stdin?: 'open';
}

/** Runs a file with `--schema`. Rejects with an error that describes the problem. */
export async function describe(runner: Runner, file: ExecutableFile, limits: ExecutableLimits): Promise<ToolDescription> {
  const lines: string[] = [];
  const run = await runner.start(file, {
    args: ['--schema'], input: '', open: false, timeMs: limits.describeMs, onLine: (line) => lines.push(line),
  });
  const fault = await run.ended;
  if (fault !== undefined) throw new Error(`with --schema it ${fault}`);
  const text = lines.join('\n');
  let said: unknown;
  try {
    said = JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new Error(`with --schema it did not write JSON, but ${excerpt(text)} (${errorMessage(thrown)})`);
  }
  return readDescription(said);
}

/** Checks a description; throws if it is malformed. Unknown members are left out. */
export function readDescription(said: unknown): ToolDescription {
  if (!isObject(said)) throw new Error('its description is not an object');
  const { name, title, description, parameters = {}, output, annotations, stdin } = said;
  // 2026-07-28 server/tools#tool-names
  if (typeof name !== 'string' || !/^[\w.-]{1,128}$/.test(name)) {
    throw new Error('its name is not 1 to 128 of A-Z, a-z, 0-9, _, - and .');
  }
  const text = (member: string, value: unknown): string | undefined => {
    if (value !== undefined && typeof value !== 'string') throw new Error(`its ${member} is not a text`);
    return value;
  };
  const object = (member: string, value: unknown): Record<string, unknown> | undefined => {
    if (value !== undefined && !isObject(value)) throw new Error(`its ${member} is not an object`);
    return value;
  };
  const [titled, described] = [text('title', title), text('description', description)];
  const [outputs, hints] = [object('output', output), object('annotations', annotations)];
  return {
    name,
    ...titled !== undefined && { title: titled },
    ...described !== undefined && { description: described },
    parameters: { type: 'object', ...object('parameters', parameters) },
    ...outputs && { output: outputs },
    ...hints && { annotations: hints as ToolAnnotations },
    ...stdin === 'open' && { stdin: 'open' },
  };
}
