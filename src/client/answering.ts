import { checkOptions } from '../bounds/options.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Abortable } from '../jsonrpc/inbound-request.ts';
import type { Bag } from '../jsonrpc/message.ts';
import { invalidParams, invalidParamsCode, methodNotFound, methodNotFoundCode, RpcError } from '../jsonrpc/errors.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import { metaOf } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import { checkRoots } from '../protocol/roots.ts';
import { relatedTask } from '../protocol/tasks.ts';
import { missingForQuestion } from '../protocol/capabilities.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../protocol/elicitation.ts';
import { samplingFault } from '../protocol/sampling.ts';
import type { CreateMessageRequestParams } from '../protocol/sampling.ts';
import { shapeFault } from '../protocol/shape.ts';
import type { MessageShape } from '../protocol/shape.ts';
import { completeForm } from '../protocol/form.ts';
import type { Form } from '../protocol/form.ts';
import type { RequestedSchema } from '../protocol/form-schema.ts';
import type { AnsweringOptions, ElicitAnswer, QuestionContext } from './options.ts';
import type { Answering, AskingCall } from './parts.ts';
import { answeringShape, defaultAnsweringLimits } from './options.ts';
import { gather, playRounds } from './rounds.ts';
import type { RoundsPort } from './rounds.ts';

/**
 * The part of a client that answers the server's questions: requests in the legacy era, rounds of a call in the modern one. It
 * declares the capabilities for which it has handlers. Its `roots` may be replaced;
 * `client.notify('notifications/roots/list_changed')` then tells a legacy server.
 */
export function answering(given: AnsweringOptions): Answering & Pick<AnsweringOptions, 'roots'> {
  checkOptions('answering: options', given, answeringShape());
  const options = { ...given };
  const limits = { ...defaultAnsweringLimits, ...given.limits };
  if (Array.isArray(given.roots)) checkRoots(given.roots);
  /** The ids of pending elicitations by URL: the latest 1000. */
  const elicitations = new BoundedMap<unknown, unknown>(1000);
  const expect = (id: unknown): void => {
    if (typeof id === 'string') elicitations.set(id, id);
  };
  const answer = async (method: string, params: Bag, revision: Revision, abortable: Abortable): Promise<object> => {
    if (params['mode'] === 'url') expect(params['elicitationId']);
    const answered = await answerQuestion(method, params, options, declared(options, revision), revision, {
      get signal() {
        return abortable.signal;
      },
    });
    // 2025-11-25 basic/utilities/tasks#associating-task-related-messages: a response names its task.
    const task = revisionTable.coreTasks(revision) ? metaOf(params)?.[relatedTask] : undefined;
    return task === undefined ? answered : { ...answered, _meta: { ...metaOf({ ...answered }), [relatedTask]: task } };
  };
  const port = ({ revision, clock, signal, send }: AskingCall): RoundsPort => ({
    answer: (method, params, abortable) => answer(method, params, revision, abortable),
    clock,
    signal,
    send,
    limits,
  });
  return {
    get roots() {
      return options.roots;
    },
    set roots(roots) {
      if (Array.isArray(roots)) checkRoots(roots);
      options.roots = roots;
    },
    capabilities: (revision) => declared(options, revision),
    answer,
    required: ({ data }) => {
      const list = isObject(data) ? data['elicitations'] : undefined;
      if (Array.isArray(list)) for (const item of list.slice(0, 1000)) if (isObject(item)) expect(item['elicitationId']);
    },
    completed: (params) => elicitations.delete(params?.['elicitationId']),
    gather: (method, requests, call) => gather(method, requests, port(call)),
    rounds: (method, params, first, call) => playRounds(method, params, first, port(call)),
  };
}

/** The capabilities for which there are handlers, as the revision defines them. */
function declared(options: AnsweringOptions, revision: Revision): ClientCapabilities {
  const { onElicit, onElicitUrl, onSample, roots, capabilities = {} } = options;
  const declared: ClientCapabilities = {};
  // 2025-11-25 client/elicitation#capabilities: a client that declares it MUST support a mode, which needs a handler.
  const elicitation = (onElicit || onElicitUrl)
    && (capabilities.elicitation ?? { ...(onElicit && { form: {} }), ...(onElicitUrl && { url: {} }) });
  if (elicitation && revisionTable.urlElicitation(revision)) declared.elicitation = elicitation;
  // Before the revisions with modes, all elicitation was by form.
  else if (elicitation && revisionTable.elicitation(revision) && (elicitation.form || !elicitation.url)) {
    declared.elicitation = {};
  }
  const sampling = capabilities.sampling ?? (onSample && {});
  if (sampling) declared.sampling = revisionTable.samplingTools(revision) ? sampling : {};
  const rooted = capabilities.roots ?? (roots && { listChanged: true });
  if (rooted) declared.roots = revision.era === 'legacy' ? rooted : {};
  return declared;
}

/**
 * Answers a question of the server: a request in the legacy era, an input request in the modern one. Rejects with the
 * `RpcError` that a legacy server receives: `-32601` if this client does not answer such questions, `-32602` if it
 * does, but not in this form.
 */
async function answerQuestion(
  method: string,
  params: Record<string, unknown>,
  options: AnsweringOptions,
  declared: ClientCapabilities,
  revision: Revision,
  context: QuestionContext,
): Promise<object> {
  const missing = missingForQuestion(method, params, declared, revision);
  if (missing) {
    const capability = method.slice(0, method.indexOf('/')) as keyof ClientCapabilities;
    // 2025-11-25 client/elicitation#error-handling, client/sampling, client/roots#error-handling.
    throw declared[capability]
      ? new RpcError(invalidParamsCode, `Invalid params: ${missing.message}`)
      : new RpcError(methodNotFoundCode, missing.message);
  }
  const { onElicit, onElicitUrl, onSample, roots } = options;
  switch (method) {
    case 'ping':
      return {};
    case 'elicitation/create':
      if ((params['mode'] ?? 'form') !== 'form' && params['mode'] !== 'url') {
        throw invalidParams('mode must be "form" or "url"');
      }
      if (params['mode'] === 'url') {
        if (!onElicitUrl) break;
        mustHave(params, { message: 'string', url: 'string', ...revisionTable.elicitationId(revision) && { elicitationId: 'string' } });
        const { action } = judge(await onElicitUrl(params as unknown as ElicitRequestURLParams, context));
        return { action };
      }
      if (!onElicit) break;
      mustHave(params, { message: 'string', requestedSchema: form });
      // The other members of a field are checked with the answer.
      for (const one of Object.values((params['requestedSchema'] as RequestedSchema).properties)) mustHave(one, field);
      return complete(
        params['requestedSchema'], await onElicit(params as unknown as ElicitRequestFormParams, context),
      );
    case 'sampling/createMessage': {
      if (!onSample) break;
      const fault = samplingFault(params['messages']);
      if (fault !== undefined) throw invalidParams(fault);
      mustHave(params, sampling());
      return onSample(params as unknown as CreateMessageRequestParams, context);
    }
    case 'roots/list':
      if (!roots) break;
      return { roots: checkRoots(typeof roots === 'function' ? await roots() : roots) };
  }
  throw methodNotFound(method);
}

/** The members of a sampling request, without its messages. */
const sampling = (): MessageShape => ({
  maxTokens: 'number', 'systemPrompt?': 'string', 'temperature?': 'number', 'stopSequences?': ['string'], 'includeContext?': 'string',
  'metadata?': 'object', 'toolChoice?': { 'mode?': 'string' },
  'modelPreferences?': {
    'hints?': [{ 'name?': 'string' }], 'costPriority?': 'number', 'speedPriority?': 'number', 'intelligencePriority?': 'number',
  },
  'tools?': [{ name: 'string', 'description?': 'string', inputSchema: { type: 'string' } }],
});

/** 2025-11-25 client/elicitation#requested-schema. */
const form: MessageShape = { type: 'string', properties: 'object', 'required?': ['string'] };
const field: MessageShape = { type: 'string' };

function mustHave(value: unknown, shape: MessageShape): void {
  const fault = shapeFault(value, shape, shape === field ? 'requestedSchema.properties: a field' : '');
  if (fault !== undefined) throw invalidParams(fault);
}

function judge(answer: ElicitAnswer): ElicitAnswer {
  if (answer?.action === 'accept' || answer?.action === 'decline' || answer?.action === 'cancel') {
    return answer;
  }
  throw new TypeError('the handler of an elicitation must answer with the action accept, decline or cancel');
}

/** 2025-11-25 client/elicitation#requested-schema: defaults are filled in, and the content fits the form. */
function complete(requestedSchema: unknown, answer: ElicitAnswer): object {
  const { action, content } = judge(answer);
  if (action !== 'accept') return { action };
  const done = completeForm(requestedSchema as Form, content ?? {});
  if (done.valid) return { action, content: done.content };
  const faults = done.errors.map(({ property, message }) => `"${property}" ${message}`).join('; ');
  throw new TypeError(`the content of the form is not valid: ${faults}`);
}
