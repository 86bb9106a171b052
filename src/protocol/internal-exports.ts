/**
 * The internal exports of this folder (its door): what the kit may take from inside, beside what index.ts gives to everybody.
 * `test/imports.test.ts` fails on any other way in. It is not an entry of the package.
 */

// Revisions and methods. Each column that is used is named, so that a program carries no other.
export {
  batching, cacheHints, completionsCapability, nullErrorId, resultType, ssePolling, streamableHttp, titles, versionHeader,
  elicitation, samplingTools, urlElicitation, findRevision,
} from './revisions.ts';
export { methods } from './methods.ts';
export { hasMethod, methodRow } from './methods.ts';
export { requestsOf } from './requests.ts';

// Members of messages: `_meta`, lists in pages, headers that mirror parameters, answers to forms.
export { capabilitiesKey, checkInfo, clientInfoKey, isImplementation, isLoggingLevel, isMetaKey, logLevelKey, modernErrors, serverInfoKey, subscriptionKey, versionKey } from './meta.ts';
export { hasCacheHints, mayAsk, mirroredParameter } from './methods.ts';
export { page } from './pagination.ts';
export type { Listed } from './pagination.ts';
export { encodeHeaderValue, mirroredParameters, mirroredValue } from './mirrored-headers.ts';
export { completeForm } from './form.ts';
export type { Form } from './form.ts';

// Tasks.
export { firstTaskStatus, isTaskStatus, isTerminal, nextTaskStatus } from './task-lifecycle.ts';
export type { TaskEvent } from './task-lifecycle.ts';
export { relatedTask } from './tasks.ts';
