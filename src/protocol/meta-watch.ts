import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../bounds/quote.ts';
import { isMetaKey } from './meta.ts';

/**
 * How many keys are checked, and how many characters a key may have, since each is kept. Further and longer keys are
 * ignored.
 */
const maxKeys = 1000;
const maxKeyLength = 256;

/** The members of results and messages that hold objects with their own `_meta`. */
const holders = ['content', 'contents', 'messages', 'resource'] as const;

/**
 * Reports each malformed key once that we send in `_meta`: of a result or a message, and of the content in it. A
 * known key costs one look-up. 2025-06-18 basic/index#_meta.
 */
export class MetaWatch {
  readonly #seen = new Set<string>();

  /** `depth`: how many levels of objects and lists to search. */
  look(value: unknown, tell: (fault: Error) => void, depth: number = 6): void {
    if (depth === 0) return;
    if (Array.isArray(value)) for (const item of value) this.look(item, tell, depth - 1);
    else if (isObject(value)) {
      if (isObject(value['_meta'])) this.#judge(Object.keys(value['_meta']), tell);
      for (const holder of holders) if (value[holder]) this.look(value[holder], tell, depth - 1);
    }
  }

  #judge(keys: readonly string[], tell: (fault: Error) => void): void {
    for (const key of keys) {
      if (key.length > maxKeyLength || this.#seen.has(key) || this.#seen.size >= maxKeys) continue;
      this.#seen.add(key);
      if (!isMetaKey(key)) tell(new Error(`_meta has the malformed key ${quote(key)}`));
    }
  }
}
