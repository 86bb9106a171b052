import { isObject } from '../../jsonrpc/internal-exports.ts';
import { sampleArguments } from '../answers.ts';
import { bounds } from '../bounds.ts';
import type { ReceivedAnswer } from '../conversation.ts';
import { listPages } from '../listed.ts';
import type { ServerProbe } from '../probe.ts';
import { call } from './survey.ts';
import type { SurveyedCall } from './survey.ts';

const namesOf = (answer: ReceivedAnswer): string => JSON.stringify((Array.isArray(answer.result['tools']) ? answer.result['tools'] : []).map((one: unknown) => (isObject(one) ? one['name'] : one)));

/** The names of tools that occur more than once on the pages. */
function repeated(pages: readonly ReceivedAnswer[]): unknown[] {
  const names = pages.flatMap(({ result: { tools } }) => (Array.isArray(tools) ? tools.filter(isObject) : [])).map(({ name }) => name);
  return names.filter((name, at) => names.indexOf(name) < at);
}

/** Calls that got a response. */
const answered = (calls: readonly SurveyedCall[]): SurveyedCall[] => calls.filter(({ answer }) => answer.kind === 'result' || answer.kind === 'error');

const done = ({ kind, result }: ReceivedAnswer): boolean => kind === 'result' && result['isError'] !== true && (result['resultType'] ?? 'complete') === 'complete';

/** Arguments that a schema surely refuses, and the reason. */
function refused(schema: unknown): { readonly given: Record<string, unknown>; readonly why: string } | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const [missing] = required;
  const fit = sampleArguments(schema);
  if (typeof missing === 'string') return { given: Object.fromEntries(Object.entries(fit).filter(([name]) => name !== missing)), why: `${missing} is required and missing` };
  for (const [name, field] of Object.entries(schema['properties'])) {
    if (isObject(field) && ['number', 'integer', 'boolean'].includes(String(field['type']))) return { given: { ...fit, [name]: { judge: [] } }, why: `${name} is an object and must be ${String(field['type'])}` };
  }
  return undefined;
}

export const toolProbes: readonly ServerProbe[] = [
  {
    name: 'the list of tools again', rules: ['tools-1', 'tools-2'], needs: 'a server with tools',
    async run(bench, revision) {
      const { lists: { tools }, conversation } = await bench.survey(revision);
      const [first] = tools.pages;
      if (!tools.declared || first?.kind !== 'result') return;
      conversation.check('tools-2', true, '', first);
      const again = await conversation.ask('tools/list');
      if (again.kind !== 'result') return;
      const same = JSON.stringify([...JSON.parse(namesOf(first)) as string[]].sort()) === JSON.stringify([...JSON.parse(namesOf(again)) as string[]].sort());
      // If the tools have changed in between, their order cannot be compared.
      if (same) conversation.check('tools-1', namesOf(first) === namesOf(again), `the same order as before: ${namesOf(first)}`, again);
    },
  },
  {
    // 2025-11-25 server/tools#tool-names. A single page is judged in passing.
    name: 'the names of tools on all pages', rules: ['tools-27'], needs: 'a list of tools of more than one page',
    async run(bench, revision) {
      const { lists: { tools: { declared, pages } }, conversation } = await bench.survey(revision);
      if (!declared || pages.length < 2) return;
      // Tools that change during listing may be on two pages, so a name counts only if it is repeated in two readings.
      const before = new Set(repeated(pages));
      const again: ReceivedAnswer[] = [];
      for await (const page of listPages((params) => conversation.ask('tools/list', params))) if (again.push(page) >= bounds.pages) break;
      const twice = repeated(again).find((name) => before.has(name));
      const last = again.at(-1);
      if (last && again.every(({ kind }) => kind === 'result')) conversation.check('tools-27', twice === undefined, `a name that no other tool has, on whichever page, not ${JSON.stringify(twice)}`, last);
    },
  },
  {
    // 2026-07-28 server/tools#capabilities: tools may vary by requester, but not by connection.
    name: 'the lists of another connection', rules: ['tools-4', 'prompts-4', 'resources-3'], era: 'modern', slow: true, needs: 'a server with tools, prompts or resources',
    async run(bench, revision) {
      const { lists } = await bench.survey(revision);
      const other = await bench.fresh(revision);
      for (const [list, rule] of [['tools', 'tools-4'], ['prompts', 'prompts-4'], ['resources', 'resources-3']] as const) {
        const { declared, pages: [first], method } = lists[list];
        if (!declared || first?.kind !== 'result') continue;
        const now = await other.ask(method);
        // Over a pipe it is another process, without the changes that calls made in the first one.
        const before = bench.kind === 'pipe' ? first : await (await bench.main(revision)).ask(method);
        if (now.kind !== 'result' || before.kind !== 'result') continue;
        const same = JSON.stringify(now.result[list]) === JSON.stringify(before.result[list]);
        if (same) other.check(rule, true, '', now);
        else if (bench.kind === 'pipe') other.dispute(rule, `the same as in another process: ${before.came.slice(0, 400)}`, now);
        else other.check(rule, false, `the same as on another connection: ${before.came.slice(0, 400)}`, now);
      }
      void other.close();
    },
  },
  {
    name: 'an unknown tool', rules: ['form-unknown-tool'], needs: 'a server with tools',
    async run(bench, revision) {
      const { lists: { tools }, conversation } = await bench.survey(revision);
      if (!tools.declared) return;
      const answer = await conversation.ask('tools/call', { name: 'judge-unknown-tool', arguments: {} });
      const other = answer.kind === 'error' && Number.isInteger(answer.code) && answer.code !== -32602;
      // The page has -32602 in an example, but "standard JSON-RPC errors" in its sentence.
      if (answer.kind === 'result' && answer.result['isError'] === true || other) conversation.dispute('form-unknown-tool', 'error -32602', answer);
      else conversation.check('form-unknown-tool', answer.kind === 'error' && answer.code === -32602, 'error -32602', answer);
    },
  },
  {
    name: 'arguments that the schema refuses', rules: ['tools-18'], needs: 'a tool that may be called, with a required argument or one that is a number or boolean',
    async run(bench, revision) {
      const { calls, conversation } = await bench.survey(revision);
      for (const { tool } of answered(calls).filter((one) => refused(one.tool['inputSchema'])).slice(0, 4)) {
        const wrong = refused(tool['inputSchema']);
        if (!wrong) continue;
        const { first } = await call(bench, conversation, tool, wrong.given);
        if (first.kind === 'silent' || first.kind === 'failed') continue;
        conversation.check('tools-18', !done(first) && first.result['resultType'] !== 'input_required', `an error, or a result with isError: ${wrong.why}`, first);
      }
    },
  },
  {
    name: 'structured results', rules: ['tools-10', 'tools-19'], needs: 'a tool that may be called and has an outputSchema',
    async run(bench, revision) {
      const { calls, conversation } = await bench.survey(revision);
      const { compile } = bench.options;
      for (const { tool, answer } of calls.filter((one) => done(one.answer))) {
        const { structuredContent: structured, content } = answer.result;
        const { outputSchema } = tool;
        if (isObject(outputSchema) && compile) {
          let validate: ReturnType<typeof compile>;
          try {
            validate = compile(outputSchema);
          } catch {
            continue;
          }
          conversation.check('tools-10', structured !== undefined && validate(structured).valid, structured === undefined ? 'structuredContent: the tool has an outputSchema' : `structuredContent that fits the outputSchema ${JSON.stringify(outputSchema).slice(0, 400)}`, answer);
        }
        if (structured === undefined) continue;
        const texts = (Array.isArray(content) ? content.filter(isObject) : []).map(({ text }) => text).filter((one) => typeof one === 'string');
        if (texts.length > 0 && !texts.some((text) => sameJson(text, structured))) conversation.dispute('tools-19', 'a text block with the structured content as JSON', answer);
        else conversation.check('tools-19', texts.length > 0, 'a text block with the structured content as JSON', answer);
      }
    },
  },
  {
    // 2025-11-25 server/tools#error-handling.
    name: 'a tool that fails', rules: ['schema-1'], needs: 'a tool that may be called and fails: failingTool of judge.json',
    async run(bench, revision) {
      const { calls, conversation } = await bench.survey(revision);
      for (const { answer } of calls) {
        if (answer.kind === 'result' && answer.result['isError'] === true) conversation.check('schema-1', true, '', answer);
        if (answer.kind === 'error' && answer.code === -32603) conversation.check('schema-1', false, 'a result with isError, so that the model can read the failure of the tool', answer);
      }
    },
  },
  {
    name: 'the name of a tool in another case', rules: ['tools-26'], needs: 'a tool that may be called and answers',
    async run(bench, revision) {
      const { calls, lists: { tools }, conversation } = await bench.survey(revision);
      const names = tools.items.map(({ name }) => String(name));
      for (const { tool, arguments: given } of calls.filter((one) => done(one.answer))) {
        const name = String(tool['name']);
        const other = name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase();
        if (other === name || names.includes(other)) continue;
        const answer = await conversation.ask('tools/call', { name: other, arguments: given });
        if (answer.kind === 'result' || answer.kind === 'error') conversation.check('tools-26', !done(answer), `no such tool: ${other} is another name than ${name}`, answer);
        return;
      }
    },
  },
  {
    name: 'lists without their capability', rules: ['tools-3', 'prompts-3', 'resources-2'],
    async run(bench, revision) {
      const { lists, conversation } = await bench.survey(revision);
      for (const [list, rule] of [['tools', 'tools-3'], ['prompts', 'prompts-3'], ['resources', 'resources-2']] as const) {
        const { declared, pages: [first], method } = lists[list];
        if (declared) {
          if (first?.kind === 'result') conversation.check(rule, true, '', first);
          continue;
        }
        const answer = await conversation.ask(method);
        const some = answer.result[list];
        if (Array.isArray(some) && some.length > 0) conversation.check(rule, false, `the capability ${list} of a server that lists ${list}`, answer);
        else bench.ledger.notApplicable(rule, revision.version, `the server has no ${list}`);
      }
    },
  },
];

function sameJson(text: string, value: unknown): boolean {
  try {
    return canonical(JSON.parse(text)) === canonical(value);
  } catch {
    return false;
  }
}

const canonical = (value: unknown): string => JSON.stringify(value, (_, one: unknown) => (isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));
