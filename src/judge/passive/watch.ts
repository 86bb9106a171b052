import type { ConversationWatcher } from '../conversation.ts';
import type { SchemaCompiler } from '../options.ts';
import { judgeForm } from './forms.ts';
import { judgeItems } from './items.ts';
import { judgeMessage } from './messages.ts';
import { judgeNotification } from './notifications.ts';
import { judgeReply, judgeStreamed } from './responses.ts';
import { judgeRound } from './rounds.ts';

/** Judges every message of a server, whichever probe receives it. */
export const watchServer = (compile: SchemaCompiler | undefined): ConversationWatcher => ({
  arrived(conversation, arrival) {
    judgeStreamed(conversation, arrival);
    // A replayed message was judged when it first came.
    if (arrival.replayed) return;
    judgeMessage(conversation, arrival);
    judgeForm(conversation, arrival);
    judgeItems(conversation, arrival, compile);
    judgeNotification(conversation, arrival);
    judgeRound(conversation, arrival);
  },
  replied: judgeReply,
});

/** Rules that are judged in passing, with the event that each needs. */
export const watchedRules: Readonly<Record<string, string>> = {
  'base-61': 'a notification of the server', 'base-65': 'a question of the server', 'base-66': 'a question of the server', 'base-67': 'a question of the server',
  'base-68': 'a question of the server', 'base-31': 'an error of the server', 'base-32': 'an error of the server', 'base-33': 'an error of the server',
  'schema-7': 'an error of the server', 'base-10': 'a _meta with a prefixed key', 'base-13': 'a _meta with a prefixed key', 'base-17': 'a _meta with a key',
  'progress-8': 'a tool that may be called and tells its progress', 'progress-3': 'a tool that may be called and tells its progress',
  'progress-2': 'a tool that may be called and tells its progress', 'progress-7': 'a tool that may be called and tells its progress',
  'progress-11': 'a tool that may be called and tells its progress more than once', 'form-progress': 'a tool that may be called and tells its progress',
  'form-message': 'something that is logged to the client', 'logging-2': 'something that is logged to the client', 'logging-10': 'something that is logged to the client',
  'logging-11': 'something that is logged to the client', 'schema-2': 'a cancellation by the server', 'cancellation-3': 'a cancellation by the server',
  'elicitation-4': 'a tool that may be called and asks', 'elicitation-9': 'a tool that may be called and asks', 'elicitation-14': 'a tool that may be called and asks by a form',
  'elicitation-6': 'a tool that may be called and asks by a URL', 'elicitation-7': 'a tool that may be called and asks by a URL',
  'elicitation-12': 'a tool that may be called and fails with the error -32042', 'elicitation-51': 'a tool that may be called and fails with the error -32042',
  'elicitation-52': 'a tool that may be called and fails with the error -32042', 'elicitation-53': 'a tool that may be called and fails with the error -32042',
  'elicitation-16': 'a tool that may be called and asks by a form', 'elicitation-60': 'a tool that may be called and asks by a form', 'schema-5': 'a tool that may be called and asks by a URL',
  'elicitation-55': 'a tool that may be called and asks by a URL', 'elicitation-56': 'a tool that may be called and asks by a URL', 'sampling-9': 'a tool that may be called and samples',
  'sampling-22': 'a tool that may be called and samples', 'sampling-18': 'a tool that may be called and samples with tools', 'schema-14': 'a tool that may be called and samples with tools', 'sampling-4': 'a tool that may be called and samples with a context', 'roots-11': 'a tool that may be called and asks for roots',
  'base-5': 'a tool that may be called and asks', 'mrtr-15': 'a tool that may be called and asks', 'mrtr-1': 'a tool that may be called and asks', 'mrtr-16': 'a tool that may be called and asks',
  'mrtr-21': 'a tool that may be called and asks', 'mrtr-22': 'a tool that may be called and asks', 'mrtr-23': 'a tool that may be called and asks',
  'prompts-1': 'a prompt with audio', 'prompts-11': 'a prompt with an image', 'prompts-5': 'a prompt with an embedded resource', 'prompts-6': 'a prompt with an embedded resource',
  'prompts-7': 'a prompt with an embedded resource', 'resources-4': 'a listed resource', 'resources-12': 'a resource with a blob', 'tools-21': 'a listed tool',
  'tools-23': 'a listed tool', 'tools-25': 'a listed tool', 'tools-27': 'a listed tool', 'base-78': 'a listed tool, and a compiler of schemas', 'lifecycle-12': 'a notification before initialized',
  'lifecycle-13': 'a change of a list, or a question', 'lifecycle-14': 'a notification or a question of the server', 'base-15': 'a change that a subscription asked for',
  'subscriptions-5': 'a change that a subscription asked for', 'transports-12': 'a stream whose events have ids', 'transports-36': 'a server with sessions',
  'streamable-http-22': 'a stream', 'streamable-http-21': 'a tool that may be called and tells its progress', 'transports-4': 'a message on a GET stream', 'transports-6': 'a message on a GET stream',
  'transports-7': 'a response on a stream', 'base-60': 'bytes that are not UTF-8', 'base-16': 'a result', 'base-72': 'a result', 'base-75': 'a result', 'base-26': 'an error of the server',
  'base-27': 'an error of the server', 'base-28': 'an error of the server', 'base-30': 'an error of the server', 'base-3': 'a request of the server',
};
