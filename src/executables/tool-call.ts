import { systemClock } from '../bounds/clock.ts';
import type { Timer } from '../bounds/clock.ts';
import type { Form } from '../protocol/internal-exports.ts';
import type { Validate } from '../schema/index.ts';
import { ToolError } from '../server/index.ts';
import type { Context } from '../server/index.ts';
import type { ToolDescription } from './description.ts';
import type { ExecutableFile } from './file-checks.ts';
import type { ExecutableLimits } from './limits.ts';
import { ReferenceFault, resolveReferences } from './pipeline.ts';
import type { Pipeline } from './pipeline.ts';
import { readSaying } from './sayings.ts';
import type { Aside, Saying } from './sayings.ts';
import { excerpt } from './tool-process.ts';
import type { Runner, ToolProcess } from './tool-process.ts';

/** A tool to call: an executable, or a pipeline. */
export type CallableTool = { readonly check: Validate } & (
  | { readonly description: ToolDescription; readonly file: ExecutableFile }
  | { readonly description: Pipeline; readonly file?: undefined }
);

/** The final result of a tool. */
export type Ending = Extract<Saying, { kind: 'result' | 'error' }>;
type ToolRequest = Exclude<Saying, Ending>;

/** The answer to a tool's question, from a person or another tool, or an error. */
type Answer =
  | { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly message: string; readonly code?: string } };

/** Milliseconds that a tool may continue after its result. */
const afterwardsMs = 1000;

const failure = (message: string, code?: string): Ending => ({ kind: 'error', message, ...code !== undefined && { code } });

/** One client call, with all its runs. */
export class ToolCall {
  readonly #runner: Runner;
  readonly #limits: ExecutableLimits;
  readonly #find: (name: string) => Promise<CallableTool | undefined>;
  readonly #ctx: Context;
  #runs = 0;
  /** Runs of this call that hold a place while they wait for a tool that they called. */
  #waiting = 0;
  #ownProgress = false;
  #partials = 0;

  constructor(runner: Runner, limits: ExecutableLimits, find: (name: string) => Promise<CallableTool | undefined>, ctx: Context) {
    this.#runner = runner;
    this.#limits = limits;
    this.#find = find;
    this.#ctx = ctx;
  }

  /**
   * Runs a tool to its end.
   *
   * @param place the position in the client's call: a key for the values that are stored for the next round
   *
   * @param callers the tools that wait for this one
   */
  async run(tool: CallableTool, params: unknown, place: string = '', callers: readonly string[] = []): Promise<Ending> {
    if (tool.file === undefined) return this.#pipeline(tool.description, params, place, callers);
    const { name, stdin } = tool.description;
    return stdin === 'open'
      ? this.#converse(name, tool.file, params, place, callers)
      : this.#runAgain(name, tool.file, params, place, callers);
  }

  /** Runs the tool again with each answer. Results of earlier runs are stored, so that no round repeats a run. */
  async #runAgain(
    name: string, file: ExecutableFile, params: unknown, place: string, callers: readonly string[],
  ): Promise<Ending> {
    const answers: Answer[] = [];
    for (let turn = 0; turn < this.#limits.maxRunsPerCall; turn++) {
      const said = await this.#ctx.once(`${place}run ${turn}`, () => this.#listen(name, file, { name, params, ...answers.length > 0 && { answers } }, callers));
      if (said.kind === 'result' || said.kind === 'error') return said;
      answers.push(await this.#answer(said, name, `${place}${turn}`, callers));
    }
    return this.#tooMany(name);
  }

  /** Runs once, until the tool answers or asks. */
  async #listen(name: string, file: ExecutableFile, request: object, callers: readonly string[]): Promise<Saying> {
    let asked: ToolRequest | undefined;
    const ending = await this.#start(name, file, request, false, callers.length === 0, (said, run) => {
      asked ??= said;
      // This run cannot receive the answer, since its stdin has ended.
      run.stop('asked');
    });
    return asked ?? ending;
  }

  /** Keeps the tool running while it asks. If the client answers with a new request, the whole call starts again. */
  async #converse(
    name: string, file: ExecutableFile, params: unknown, place: string, callers: readonly string[],
  ): Promise<Ending> {
    let failed: { readonly why: unknown } | undefined;
    let turns = 0;
    let answered = Promise.resolve();
    const ending = await this.#start(name, file, { name, params }, true, callers.length === 0, (said, run) => {
      const turn = turns;
      turns += 1;
      if (turns > this.#limits.maxRunsPerCall) return run.stop('asked too often');
      answered = answered.then(async () => {
        if (failed) return;
        run.pause();
        this.#waiting += 1;
        const answer = await this.#answer(said, name, `${place}${turn}`, callers).finally(() => (this.#waiting -= 1));
        run.resume();
        run.write(JSON.stringify(answer));
      }).catch((thrown: unknown) => {
        failed ??= { why: thrown };
        run.stop('got no answer');
      });
    });
    if (failed) throw failed.why;
    return ending;
  }

  /** Starts one run and reads its messages until it ends. */
  async #start(
    name: string, file: ExecutableFile, request: object, open: boolean, outermost: boolean,
    onRequest: (said: ToolRequest, run: ToolProcess) => void,
  ): Promise<Ending> {
    this.#runs += 1;
    if (this.#runs > this.#limits.maxRunsPerCall) return this.#tooMany(name);
    let ending: Ending | undefined;
    let asked = false;
    const partials: unknown[] = [];
    const rest: string[] = [];
    let afterwards: Timer | undefined;
    const onLine = (line: string): void => {
      if (ending) return;
      const said = readSaying(line);
      if (said === undefined) rest.push(line);
      else if (said.kind === 'result' || said.kind === 'error') {
        ending = said;
        afterwards = systemClock.after(afterwardsMs, () => run.stop('continued after its answer'));
      } else if (said.kind === 'ask' || said.kind === 'call') {
        asked = true;
        onRequest(said, run);
      } else if (said.kind === 'partial') {
        partials.push(said.value);
        if (outermost) this.#aside(said, name);
      } else if (outermost || said.kind === 'log') this.#aside(said, name);
    };
    const run = await this.#runner.start(file, {
      args: [], input: JSON.stringify(request), open, timeMs: this.#limits.runMs, signal: this.#ctx.signal, onLine,
      nested: this.#waiting > 0,
    });
    const fault = await run.ended;
    afterwards?.stop();
    if (ending) return ending;
    // A result may extend over several lines.
    const whole = rest.length > 0 ? readSaying(rest.join('\n')) : undefined;
    if (whole?.kind === 'result' || whole?.kind === 'error') return whole;
    if (fault !== undefined) return failure(`${name} ${fault}`);
    if (rest.length > 0) return failure(`${name} wrote something that is not a message of a tool: ${excerpt(rest.join('\n'))}`);
    if (partials.length === 0) return failure(`${name} ended without ${asked ? 'waiting for its answer' : 'an answer'}`);
    return { kind: 'result', value: partials.every((part) => typeof part === 'string') ? partials.join('') : partials };
  }

  #aside(said: Aside, name: string): void {
    const ctx = this.#ctx;
    // After the request has ended, nobody receives these messages.
    if (ctx.signal.aborted) return;
    if (said.kind === 'log') ctx.log(said.level, said.data, name);
    else if (said.kind === 'progress') {
      this.#ownProgress = true;
      ctx.progress(said.progress, said.total, said.message);
    } else {
      const text = typeof said.value === 'string' ? said.value : JSON.stringify(said.value);
      // Progress must increase, so partial results are not counted as progress if the tool reports its own.
      if (this.#ownProgress) ctx.log('info', said.value, name);
      else ctx.progress(this.#partials += 1, undefined, text);
    }
  }

  async #answer(said: ToolRequest, name: string, place: string, callers: readonly string[]): Promise<Answer> {
    if (said.kind === 'call') {
      const ending = await this.#callOther(said.name, said.params, `${place}.`, [...callers, name]);
      if (ending.kind === 'result') return { result: ending.value };
      const { message, code } = ending;
      return { error: { message, ...code !== undefined && { code } } };
    }
    try {
      const { action, content } = await this.#ctx.elicit(said.message, said.schema as Form, { key: `${place} ask` });
      return { action, ...content !== undefined && { content } };
    } catch (thrown) {
      // The tool's schema is not a valid form.
      if (thrown instanceof TypeError) throw new ToolError(`${name} asks an invalid question: ${thrown.message}`);
      throw thrown;
    }
  }

  async #callOther(name: string, params: unknown, place: string, callers: readonly string[]): Promise<Ending> {
    const tool = await this.#find(name);
    if (!tool) return failure(`there is no tool ${excerpt(name)}`, 'unknown_tool');
    if (callers.includes(name)) return failure(`${[...callers, name].join(' calls ')}: tools call each other in a loop`, 'cycle');
    if (callers.length > this.#limits.maxCallDepth) return failure(`tools call each other more than ${this.#limits.maxCallDepth} deep`, 'too_deep');
    const judged = tool.check(params);
    if (!judged.valid) return failure(judged.errors.map(({ path, message }) => `params${path.replaceAll('/', '.')}: ${message}`).join('\n'), 'invalid_params');
    return this.run(tool, params, place, callers);
  }

  async #pipeline({ name, steps, result }: Pipeline, params: unknown, place: string, callers: readonly string[]): Promise<Ending> {
    const given: unknown[] = [];
    try {
      for (const [at, step] of steps.entries()) {
        const own = resolveReferences(step.params, { params, steps: given });
        const ending = await this.#callOther(step.tool, own, `${place}step ${at}.`, [...callers, name]);
        if (ending.kind === 'error') return { ...ending, message: `step ${at} (${step.tool}): ${ending.message}` };
        given.push(ending.value);
      }
      return { kind: 'result', value: result === undefined ? given.at(-1) : resolveReferences(result, { params, steps: given }) };
    } catch (thrown) {
      if (thrown instanceof ReferenceFault) return failure(thrown.message, 'reference');
      throw thrown;
    }
  }

  #tooMany(name: string): Ending {
    return failure(`${name}: more than ${this.#limits.maxRunsPerCall} runs for one call`, 'too_many_runs');
  }
}
