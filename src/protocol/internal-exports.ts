/**
 * The exports of this folder for other folders of this package, in addition to index.ts, which is public.
 * `test/imports.test.ts` fails on any other import from this folder. It is not an entry of the package.
 */

// Revisions and methods. The columns are separate exports, so that a bundle has only those that it uses.
export {
  batching, cacheHints, completionsCapability, nullErrorId, resultType, ssePolling, streamableHttp, titles, versionHeader,
  elicitation, samplingTools, urlElicitation, findRevision,
} from './revisions.ts';
export { methods } from './methods.ts';
export { hasMethod, methodRow } from './methods.ts';
export { requestsOf } from './progress.ts';

// Members of messages: `_meta`, pagination, headers that mirror parameters, form content.
export {
  capabilitiesKey, checkInfo, clientInfoKey, isImplementation, isMetaKey, logLevelKey, modernErrors, serverInfoKey,
  subscriptionKey, versionKey,
} from './meta.ts';
export { isLoggingLevel } from './logging.ts';
export { hasCacheHints, mayAsk } from './methods.ts';
export { page } from './pagination.ts';
export type { Listed } from './pagination.ts';
export { encodeHeaderValue, mirroredParameter, mirroredParameters, mirroredValue } from './mirrored-headers.ts';
export { completeForm } from './form.ts';
export type { Form } from './form.ts';

// Tasks.
export { firstTaskStatus, isTaskStatus, isTerminal, nextTaskStatus } from './task-lifecycle.ts';
export type { TaskEvent } from './task-lifecycle.ts';
export { relatedTask } from './tasks.ts';
