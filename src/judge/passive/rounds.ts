import { isObject } from '../../jsonrpc/internal-exports.ts';
import { mayAsk } from '../../protocol/internal-exports.ts';
import type { Arrival, JudgedConversation } from '../conversation.ts';
import { judgeQuestion } from './notifications.ts';

const questions: readonly unknown[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** 2026-07-28 basic/patterns/mrtr: judges the questions in a result. */
export function judgeRound(conversation: JudgedConversation, arrival: Arrival): void {
  const { json, answers } = arrival;
  if (!isObject(json)) return;
  if (typeof json['method'] === 'string' && json['id'] !== undefined) {
    if (conversation.modern) conversation.check('mrtr-1', false, 'questions in an input_required result only', arrival);
    return judgeQuestion(conversation, arrival, json['method'], isObject(json['params']) ? json['params'] : {});
  }
  if (!conversation.modern || !isObject(json['result']) || json['result']['resultType'] !== 'input_required' || !answers) return;
  const { inputRequests, requestState } = json['result'];
  conversation.check('mrtr-23', mayAsk(answers.method), 'questions in answers to tools/call, prompts/get and resources/read only', arrival);
  conversation.check('mrtr-16', inputRequests !== undefined || requestState !== undefined, 'inputRequests or requestState', arrival);
  if (!isObject(inputRequests)) return;
  conversation.check('mrtr-1', true, '', arrival);
  for (const [key, one] of Object.entries(inputRequests)) {
    const method = isObject(one) ? one['method'] : undefined;
    conversation.check('mrtr-22', questions.includes(method), 'questions that are elicitations, sampling or roots', arrival);
    conversation.check('mrtr-21', arrival.text.split(`${JSON.stringify(key)}:{"method"`).length <= 2, 'keys of inputRequests that are unique', arrival);
    if (isObject(one) && typeof method === 'string') judgeQuestion(conversation, arrival, method, isObject(one['params']) ? one['params'] : {});
  }
}
