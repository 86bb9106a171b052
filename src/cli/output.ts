import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/index.ts';
import { columnsFor, framed } from '../host/node/frame.ts';
import type { FrameOptions } from '../host/node/frame.ts';
import { style } from '../host/node/style.ts';
import type { Paint } from '../host/node/style.ts';
import { jsonLine } from './json-line.ts';
import { pipedContents, pipedPrompt, pipedResult } from './piped.ts';
import type { Piped } from './piped.ts';
import { renderContents, renderPrompt, renderResult } from './render.ts';
import type { RenderOptions } from './render.ts';
import type { CommandProcess } from './command-process.ts';

/** The destination of results: a terminal, a pipe, or lines of JSON. */
export interface Output {
  readonly json: boolean;
  /** stdout is not a terminal: results are written unchanged. */
  readonly piped: boolean;
  readonly render: RenderOptions;
  /** The frame for results between prompts at a terminal; undefined: no frame. */
  readonly frame?: FrameOptions | undefined;
  /** Writes to stdout unchanged. */
  write(bytes: string | Uint8Array): void;
  /** Prints a line to stdout. Text from the wire must be `visible` already. */
  print(line: string): void;
  /** Prints a line to stderr. */
  note(line: string): void;
}

/** The width for lines of stdout; `Infinity` if it is not a terminal. */
export const outputColumns = (stdout: CommandProcess['stdout']): number => (stdout.isTTY ? columnsFor(stdout) : Infinity);

export function showResult(output: Output, result: CallToolResult): void {
  show(output, result, (save) => pipedResult(result, save), (how) => renderResult(result, how), result.isError ? output.render.style.red : undefined);
}

export function showContents(output: Output, result: ReadResourceResult): void {
  show(output, result, (save) => pipedContents(result, save), (how) => renderContents(result, how));
}

export function showPrompt(output: Output, result: GetPromptResult): void {
  show(output, result, (save) => pipedPrompt(result, save), (how) => renderPrompt(result, how));
}

function show(
  output: Output, result: object, piped: (save: string | undefined) => Piped, lines: (how: RenderOptions) => readonly string[], paint?: Paint,
): void {
  const { render, frame } = output;
  if (output.json) output.print(jsonLine(result));
  else if (output.piped) {
    const { out, notes } = piped(render.save);
    for (const bytes of out) output.write(bytes);
    for (const line of notes) output.note(line);
  } else if (frame) {
    const inside = lines({ ...render, columns: render.columns - 3, style: style(false) });
    for (const row of framed(inside.join('\n'), { ...frame, ...paint && { paint } })) output.print(row);
  } else for (const line of lines(render)) output.print(paint?.(line) ?? line);
}
