import { checkOptions } from '../bounds/options.ts';
import { samplingFault } from '../protocol/sampling.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Question, QuestionOptions } from './input-requests.ts';

export function sampleQuestion(
  params: CreateMessageRequestParams,
  options?: QuestionOptions,
): Question<CreateMessageResult> {
  if (options) checkOptions('sample: options', options, { key: 'string' });
  const fault = samplingFault(params.messages);
  if (fault !== undefined) throw new TypeError(`sample: ${fault}`);
  const { includeContext: _context, ...others } = params;
  return {
    method: 'sampling/createMessage',
    key: options?.key,
    // 2025-11-25 client/sampling#capabilities: `includeContext` only for a client with `sampling.context`; the default is `none`.
    params: (_revision, _problem, capabilities) => ({ ...capabilities?.sampling?.context ? params : others }),
    read(answer) {
      if (!isMessage(answer)) return { problem: 'the model\'s message has no role, content or model' };
      return { value: answer };
    },
  };
}

function isMessage(answer: Record<string, unknown>): answer is Record<string, unknown> & CreateMessageResult {
  const { role, content, model } = answer;
  return (role === 'user' || role === 'assistant') && typeof content === 'object' && content !== null
    && typeof model === 'string';
}
