import { checkOptions } from '../bounds/options.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { isObject } from '../jsonrpc/codec.ts';
import type { Abortable } from '../jsonrpc/inbound-request.ts';
import type { Bag } from '../jsonrpc/message.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import { metaOf } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import { checkRoots } from '../protocol/roots.ts';
import { relatedTask } from '../protocol/tasks.ts';
import type { AnsweringOptions } from './options.ts';
import type { Answering, AskingCall } from './parts.ts';
import { answeringShape, defaultAnsweringLimits } from './options.ts';
import { answerQuestion } from './questions.ts';
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
