import { isObject } from '../../jsonrpc/internal-exports.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../../protocol/internal-exports.ts';
import { judgeInfo } from '../conversation.ts';
import type { Arrival, ReceivedAnswer, JudgedConversation } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';
import { call, retried } from './survey.ts';
import type { Survey, SurveyedCall } from './survey.ts';

const needs = 'a tool that may be called and asks: askingTool of judge.json';
const asks = ({ result }: ReceivedAnswer): boolean => result['resultType'] === 'input_required';

/** A request of the server: a question of a legacy revision. */
const isQuestion = ({ json }: Arrival): boolean => isObject(json) && typeof json['method'] === 'string' && json['id'] !== undefined;

/** Calls with questions, in either era. */
const askingCalls = ({ calls }: Survey): SurveyedCall[] => calls.filter(({ first, between }) => asks(first) || between.some(isQuestion));

/** The questions of a call: methods with the names of their params, which tell their kinds apart (an address, tools, a context). */
function askedBy({ first, between }: SurveyedCall): string {
  const inputs = isObject(first.result['inputRequests']) ? Object.values(first.result['inputRequests']) : [];
  const questions = [...inputs, ...between.filter(isQuestion).map(({ json }) => json)];
  return [...new Set(questions.filter(isObject).map(({ method, params }) => `${method} ${Object.keys(isObject(params) ? params : {}).sort()}`))].sort().join();
}

/** The first `most` calls for each kind of question. */
function ofEachKind(calls: readonly SurveyedCall[], most: number): SurveyedCall[] {
  const counts = new Map<string, number>();
  return calls.filter((one) => {
    const kind = askedBy(one);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= most;
  });
}

const again = (conversation: JudgedConversation, { tool, arguments: given }: SurveyedCall, more: Record<string, unknown> = {}, meta: Record<string, unknown> = {}): Promise<ReceivedAnswer> =>
  conversation.ask('tools/call', { name: tool['name'], arguments: given, ...more }, { meta });

const refusedOr = (answer: ReceivedAnswer): boolean => answer.kind === 'error' || answer.result['isError'] === true || asks(answer);

/** Whether a question is a form with a required field. */
function needsFields(question: unknown): boolean {
  const params = isObject(question) && question['method'] === 'elicitation/create' && isObject(question['params']) ? question['params'] : {};
  const schema = params['requestedSchema'];
  return isObject(schema) && Array.isArray(schema['required']) && schema['required'].length > 0;
}

/** Copies with one character changed: in the middle, near the end, near the beginning. */
function tampered(text: string): string[] {
  const places = [Math.floor(text.length / 2), text.length - 2, text.length - 6, 3].filter((at) => at >= 0 && at < text.length);
  return [...new Set(places)].map((at) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`);
}

/** Probes about the answers to a server's questions. */
export const roundProbes: readonly ServerProbe[] = [
  {
    // 2026-07-28 basic/patterns/mrtr#server-requirements-basic-workflow.
    name: 'a state that was changed', rules: ['mrtr-12', 'mrtr-13'], era: 'modern', needs,
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      const [one] = askingCalls(survey).filter(({ first }) => typeof first.result['requestState'] === 'string');
      if (!one) return;
      const first = await again(survey.conversation, one);
      const { requestState: state } = first.result;
      if (typeof state !== 'string' || state.length < 4) return;
      for (const changed of tampered(state)) {
        const answer = await again(survey.conversation, one, { ...retried(first), requestState: changed });
        if (answer.kind !== 'result' && answer.kind !== 'error') continue;
        survey.conversation.check('mrtr-12', refusedOr(answer), 'an error, or the question again: the server did not give this state', answer);
        // "Servers MUST reject state that fails integrity verification": whether a new question is a rejection can be disputed.
        if (asks(answer)) survey.conversation.dispute('mrtr-13', 'an error: the server did not give this state', answer);
        else survey.conversation.check('mrtr-13', refusedOr(answer), 'an error: the server did not give this state', answer);
      }
    },
  },
  {
    name: 'a state for other arguments', rules: ['mrtr-19'], era: 'modern', needs: `${needs}, and a second that asks`,
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      const [one, other] = askingCalls(survey).filter(({ first }) => typeof first.result['requestState'] === 'string');
      if (!one || !other) return;
      const first = await again(survey.conversation, one);
      const answer = await again(survey.conversation, other, retried(first));
      if (answer.kind === 'result' || answer.kind === 'error') survey.conversation.check('mrtr-19', refusedOr(answer), 'an error, or the question again: the state is of another call', answer);
      // The same tool with one more argument, if the tool accepts it.
      const more = { ...one, arguments: { ...one.arguments, judge: 'judge' } };
      if (!asks(await again(survey.conversation, more))) return;
      const moved = await again(survey.conversation, more, retried(await again(survey.conversation, one)));
      if (moved.kind === 'result' || moved.kind === 'error') survey.conversation.check('mrtr-19', refusedOr(moved), 'an error, or the question again: the state is of a call with other arguments', moved);
    },
  },
  {
    // 2026-07-28 basic/index#statelessness: the capabilities of one request do not hold for the next.
    name: 'a question to a client that declared more before', rules: ['base-80'], era: 'modern', apart: 'surveyed', needs,
    async run(bench, revision) {
      const [one] = askingCalls(await bench.survey(revision)).filter(({ first }) => asks(first));
      if (!one) return;
      const conversation = await bench.raw(revision);
      const none = await again(conversation, one, {}, { [capabilitiesKey]: {} });
      // A server that asks every client breaks other rules.
      if (!asks(none) && asks(await again(conversation, one))) {
        const then = await again(conversation, one, {}, { [capabilitiesKey]: {} });
        if (then.kind === 'result' || then.kind === 'error') conversation.check('base-80', !asks(then), 'no question: this request declares nothing, whatever the one before declared', then);
      }
      void conversation.close();
    },
  },
  {
    // The same after a handshake of an earlier revision on the connection.
    name: 'a modern request after a handshake', rules: ['base-80'], over: 'pipe', era: 'modern', slow: true, needs: 'a server that speaks both eras on a connection',
    async run(bench, revision) {
      const legacy = bench.spoken.find(({ era }) => era === 'legacy');
      const { lists } = await bench.survey(revision);
      if (!legacy || !lists.tools.declared) return;
      const conversation = await bench.fresh(legacy);
      // Messages of two revisions come here, so reports about them are dropped.
      conversation.hold();
      const params = { _meta: { [versionKey]: revision.version, [clientInfoKey]: judgeInfo, [capabilitiesKey]: {} } };
      const answer = await conversation.askText({ id: 'judge-modern', method: 'tools/list', params, text: JSON.stringify({ jsonrpc: '2.0', id: 'judge-modern', method: 'tools/list', params }) });
      conversation.release(false);
      const main = await bench.main(revision);
      const expected = `a result of ${revision.version}, which the request names: the handshake before it does not count`;
      if (answer.kind === 'result') main.check('base-80', typeof answer.result['resultType'] === 'string', expected, answer);
      // Without the handshake the same request is served. But the error may have another reason.
      else if (answer.kind === 'error') main.dispute('base-80', expected, answer);
      void conversation.close();
    },
  },
  {
    name: 'unknown answers, and missing ones', rules: ['mrtr-8', 'mrtr-9', 'mrtr-11', 'mrtr-14'], era: 'modern', needs,
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      const { conversation } = survey;
      const [one] = askingCalls(survey).filter(({ first, answer }) => asks(first) && answer.kind === 'result' && !asks(answer) && answer.result['isError'] !== true);
      if (!one) return;
      const first = await again(conversation, one);
      const said = retried(first);
      const more = await again(conversation, one, { ...said, inputResponses: { ...said['inputResponses'] as object, 'judge-unknown': 'judge' } });
      conversation.check('mrtr-8', more.kind === 'result' && more.result['isError'] !== true, 'the result: unknown answers are ignored', more);
      const second = await again(conversation, one);
      const { requestState } = second.result;
      const none = await again(conversation, one, { inputResponses: {}, ...requestState !== undefined && { requestState } });
      conversation.check('mrtr-9', asks(none), 'the question again: its answer is missing', none);
      const third = await again(conversation, one);
      const wrong = await again(conversation, one, { inputResponses: 'judge', ...third.result['requestState'] !== undefined && { requestState: third.result['requestState'] } });
      conversation.check('mrtr-11', wrong.kind === 'error' || asks(wrong), 'an error: inputResponses is not an object', wrong);
      for (const said of [{ action: 'judge' }, { action: 'accept', content: { judge: { judge: true } } }]) {
        const next = await again(conversation, one);
        const questions = Object.entries(isObject(next.result['inputRequests']) ? next.result['inputRequests'] : {});
        if (!questions.some(([, question]) => needsFields(question))) continue;
        const odd = await again(conversation, one, {
          inputResponses: Object.fromEntries(questions.map(([key]) => [key, said])), ...next.result['requestState'] !== undefined && { requestState: next.result['requestState'] },
        });
        conversation.check('mrtr-11', refusedOr(odd), 'an error, or the question again: its answer does not fit the form', odd);
      }
      conversation.check('mrtr-14', (await conversation.ask('server/discover')).kind === 'result', 'that the server goes on, though a client does not retry', third);
    },
  },
  {
    // 2026-07-28 basic/index#_meta: a request that needs a capability which the client did not declare.
    name: 'a question to a client without capabilities', rules: ['base-9', 'base-5', 'mrtr-15', 'base-84', 'base-14'], era: 'modern', needs,
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      const { conversation } = survey;
      for (const one of askingCalls(survey).filter(({ first }) => asks(first)).slice(0, 3)) {
        const answer = await again(conversation, one, {}, { [capabilitiesKey]: {} });
        if (answer.kind !== 'result' && answer.kind !== 'error') continue;
        conversation.check(['base-5', 'mrtr-15'], !asks(answer), 'no question: the client declared nothing', answer);
        if (answer.kind !== 'error') continue;
        const required = isObject(answer.data) ? answer.data['requiredCapabilities'] : undefined;
        conversation.check('base-9', answer.code === -32021 && isObject(required) && Object.keys(required).length > 0, 'error -32021 with data.requiredCapabilities', answer);
        if (answer.reply && answer.code === -32021) conversation.check(['base-84', 'base-14'], answer.reply.status === 400, 'HTTP 400', `HTTP ${answer.reply.status} ${answer.came}`, answer.asked.text);
      }
    },
  },
  {
    // 2025-11-25 basic/lifecycle#operation: only negotiated capabilities are used; in 2026-07-28 those of each request. The questions are
    // judged in passing.
    name: 'a question to a client with few capabilities', rules: ['lifecycle-13', 'elicitation-4', 'roots-11', 'sampling-22', 'sampling-4', 'base-5', 'mrtr-15'], slow: true, apart: 'surveyed', needs,
    async run(bench, revision) {
      const found = ofEachKind(askingCalls(await bench.survey(revision)), 2).slice(0, 12);
      if (found.length === 0) return;
      for (const capabilities of [{}, { elicitation: {}, sampling: {} }]) {
        const conversation = await bench.fresh(revision, { capabilities });
        for (const { tool, arguments: given } of found) {
          const { between, answer } = await call(bench, conversation, tool, given);
          if (between.some(isQuestion) || asks(answer)) continue;
          conversation.check(['lifecycle-13', 'base-5', 'mrtr-15'], true, '', answer);
        }
        void conversation.close();
      }
    },
  },
  {
    // 2025-11-25 basic/lifecycle#initialization.
    name: 'a call before notifications/initialized', rules: ['lifecycle-12'], era: 'legacy', slow: true, apart: 'surveyed', needs,
    async run(bench, revision) {
      const [one] = askingCalls(await bench.survey(revision));
      if (!one) return;
      const conversation = await bench.raw(revision);
      const opened = await conversation.ask('initialize', { protocolVersion: revision.version, capabilities: conversation.capabilities, clientInfo: judgeInfo });
      if (opened.kind !== 'result') return void conversation.close();
      const session = opened.reply?.headers['mcp-session-id'];
      if (session !== undefined) conversation.session = session;
      conversation.agreed = true;
      const from = conversation.arrivals.length;
      const going = conversation.ask('tools/call', { name: one.tool['name'], arguments: one.arguments }, { timeoutMs: 2_000 });
      const question = await conversation.until(({ json, answers }) => answers === conversation.asked.at(-1) || isObject(json) && typeof json['method'] === 'string' && json['id'] !== undefined && json['method'] !== 'ping', 700, from);
      const asked = question && isObject(question.json) && typeof question.json['method'] === 'string';
      conversation.check('lifecycle-12', !asked, 'no request but ping before notifications/initialized', question ?? 'nothing');
      await conversation.tell('notifications/initialized');
      await going;
      void conversation.close();
    },
  },
  {
    // 2026-07-28 client/elicitation#error-handling.
    name: 'a question that is declined, and one that is cancelled', rules: ['elicitation-13'], era: 'modern', slow: true, needs,
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      const elicits = ([, question]: readonly [string, unknown]): boolean => isObject(question) && question['method'] === 'elicitation/create';
      const questionsIn = ({ result: { inputRequests } }: ReceivedAnswer) => Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(elicits);
      const [one] = askingCalls(survey).filter(({ first }) => asks(first) && questionsIn(first).length > 0);
      if (!one) return;
      for (const action of ['decline', 'cancel']) {
        const first = await again(survey.conversation, one);
        const said = retried(first);
        const inputResponses = { ...said['inputResponses'] as object, ...Object.fromEntries(questionsIn(first).map(([key]) => [key, { action }])) };
        const answer = await again(survey.conversation, one, { ...said, inputResponses });
        survey.conversation.check('elicitation-13', answer.kind === 'result' || answer.kind === 'error', `an answer to the call: its question got the action ${action}`, answer);
      }
    },
  },
];
