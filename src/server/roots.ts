import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Root } from '../protocol/roots.ts';
import type { Question, QuestionOptions } from './input-requests.ts';

export function rootsQuestion(options?: QuestionOptions): Question<Root[]> {
  if (options) checkOptions('roots: options', options, { key: 'string' });
  return {
    method: 'roots/list',
    key: options?.key,
    params: () => ({}),
    read({ roots }) {
      return isRoots(roots) ? { value: roots } : { problem: 'it has no list of roots, each with a uri' };
    },
  };
}

function isRoots(roots: unknown): roots is Root[] {
  return Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root['uri'] === 'string');
}
