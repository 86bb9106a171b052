import { invalidParams, invalidParamsCode, methodNotFound, methodNotFoundCode, RpcError } from '../jsonrpc/errors.ts';
import * as revisionTable from '../protocol/revisions.ts';
import { missingForQuestion } from '../protocol/capabilities.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../protocol/elicitation.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import type { Revision } from '../protocol/revisions.ts';
import { checkRoots } from '../protocol/roots.ts';
import type { CreateMessageRequestParams } from '../protocol/sampling.ts';
import { samplingFault } from '../protocol/sampling.ts';
import { shapeFault } from '../protocol/shape.ts';
import type { MessageShape } from '../protocol/shape.ts';
import { completeForm } from '../protocol/form.ts';
import type { Form } from '../protocol/form.ts';
import type { RequestedSchema } from '../protocol/form-schema.ts';
import type { AnsweringOptions, ElicitAnswer, QuestionContext } from './options.ts';

/**
 * Answers a question of the server: a request in the legacy era, an input request in the modern one. Rejects with the
 * `RpcError` that a legacy server receives: `-32601` if this client does not answer such questions, `-32602` if it
 * does, but not in this form.
 */
export async function answerQuestion(
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
