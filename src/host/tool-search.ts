import { checkOptions } from '../bounds/options.ts';
import { fieldsOf } from './searchable.ts';
import type { Field, Searchable } from './searchable.ts';
import { synonyms } from './synonyms.ts';
import { rawWordsOf, stem, tooCommon, wordsOf } from './words.ts';

/** The weight of a word in each field; and how strongly a field that is longer than others of its kind is held back. */
const fields: Readonly<Record<Field, { readonly weight: number; readonly held: number }>> = {
  name: { weight: 3, held: 0.5 },
  title: { weight: 1, held: 0.5 },
  server: { weight: 1, held: 0 },
  summary: { weight: 2, held: 0.6 },
  description: { weight: 0.5, held: 0.8 },
  argument: { weight: 0.7, held: 0.7 },
  'about argument': { weight: 0.4, held: 0.9 },
};

/** How soon a word that is repeated adds nothing more (Okapi BM25F, Robertson, Zaragoza and Taylor 2004). */
const saturation = 1.5;

/** The weight of a synonym; the word itself has 1. */
const synonymWeight = 0.6;

/** Rates how well each item fits the request, in the order of the items. A higher number is a better fit. */
export type Rank<T> = (query: string, items: readonly T[]) => Promise<readonly number[]>;

/** Options of `ToolSearch`. */
export interface ToolSearchOptions<T> {
  /** For `ranked`: a rating by meaning, such as the similarity of embeddings, in addition to the rating by words. */
  readonly rank?: Rank<T>;
}

/** Ranks the items of servers by the words of a request. A new one is made when the catalogue changes. */
export class ToolSearch<T extends Searchable> {
  readonly #items: readonly T[];
  readonly #rank: Rank<T> | undefined;
  /** For each word: the items that contain it, by index, with the weight of the word there. */
  readonly #postings = new Map<string, Map<number, number>>();

  constructor(items: Iterable<T>, options: ToolSearchOptions<T> = {}) {
    checkOptions('ToolSearch: options', options, { rank: 'function' });
    // By name, so that equal scores have the same order, whichever server answered first.
    this.#items = [...items].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#rank = options.rank;
    const read = this.#items.map((item) => fieldsOf(item).map(([field, text]): [Field, string[]] => [field, wordsOf(text)]));
    const means = meanLengths(read);
    read.forEach((item, at) => {
      for (const [field, words] of item) {
        const { weight, held } = fields[field];
        const each = weight / (1 - held + held * words.length / (means.get(field) ?? 1));
        for (const word of words) {
          const posting = this.#postings.get(word) ?? new Map<number, number>();
          this.#postings.set(word, posting.set(at, (posting.get(at) ?? 0) + each));
        }
      }
    });
  }

  /** The best `limit` items by their words, best first; always the same for the same catalogue and request. */
  find(query: string, limit: number = 10): T[] {
    return this.#scored(query).slice(0, Math.max(0, limit)).map((at) => this.#items[at] as T);
  }

  /**
   * The best `limit` items by their words and by `rank`, best first; without `rank`, the same as `find`. The two orders are joined by their
   * places (reciprocal rank fusion, Cormack 2009). Rejects with the error of `rank`.
   */
  async ranked(query: string, limit: number = 10): Promise<T[]> {
    if (!this.#rank) return this.find(query, limit);
    const ranks = await this.#rank(query, this.#items);
    const byMeaning = this.#items.map((_, at) => at).filter((at) => Number.isFinite(ranks[at]))
      .sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
    const joined = new Map<number, number>();
    for (const order of [this.#scored(query), byMeaning]) {
      order.forEach((at, place) => joined.set(at, (joined.get(at) ?? 0) + 1 / (60 + place)));
    }
    return best(joined).slice(0, Math.max(0, limit)).map((at) => this.#items[at] as T);
  }

  /** Every item that has a word of the request, best first. */
  #scored(query: string): number[] {
    const scores = new Map<number, number>();
    for (const meanings of meaningsOf(query)) {
      // Of a word and its synonyms, only the best score for an item counts.
      const mine = new Map<number, number>();
      for (const [word, share] of meanings) {
        const posting = this.#postings.get(word);
        if (!posting) continue;
        const rarity = Math.log(1 + (this.#items.length - posting.size + 0.5) / (posting.size + 0.5));
        for (const [at, weight] of posting) mine.set(at, Math.max(mine.get(at) ?? 0, share * rarity * weight / (weight + saturation)));
      }
      for (const [at, score] of mine) scores.set(at, (scores.get(at) ?? 0) + score);
    }
    return best(scores);
  }
}

const best = (scores: ReadonlyMap<number, number>): number[] =>
  [...scores].sort(([a, one], [b, other]) => other - one || a - b).map(([at]) => at);

/** The average number of words of each field, over the items that have it. */
function meanLengths(items: readonly (readonly [Field, string[]][])[]): Map<Field, number> {
  const sums = new Map<Field, [words: number, count: number]>();
  for (const [field, words] of items.flat()) {
    const [sum, count] = sums.get(field) ?? [0, 0];
    sums.set(field, [sum + words.length, count + 1]);
  }
  return new Map([...sums].map(([field, [sum, count]]) => [field, sum / count || 1]));
}

/** Synonyms by their stems; phrases by the stems of all their words, with a blank between. */
let table: { readonly others: Map<string, string[]>; readonly longest: number } | undefined;

function synonymTable(): NonNullable<typeof table> {
  if (table) return table;
  const others = new Map<string, string[]>();
  const add = (from: string, to: string): void => void others.set(from, [...others.get(from) ?? [], ...to.split(' ')]);
  let longest = 1;
  for (const pair of synonyms) {
    const [left = '', right = ''] = pair.split('=').map((side) => rawWordsOf(side).map(stem).join(' '));
    add(left, right);
    const words = left.split(' ').length;
    longest = Math.max(longest, words);
    if (words === 1 && !right.includes(' ')) add(right, left);
  }
  return table = { others, longest };
}

/** For each word of a request, and each phrase with synonyms: the words that stand for it, with their weights. */
function meaningsOf(query: string): Map<string, number>[] {
  const { others, longest } = synonymTable();
  const raw = rawWordsOf(query);
  const words = raw.map(stem);
  const found = new Map<string, Map<string, number>>();
  const mean = (phrase: string, own: boolean): void => {
    const meanings = found.get(phrase) ?? new Map<string, number>();
    if (own) meanings.set(phrase, 1);
    for (const other of others.get(phrase) ?? []) if (!meanings.has(other)) meanings.set(other, synonymWeight);
    if (meanings.size > 0) found.set(phrase, meanings);
  };
  words.forEach((word, at) => {
    const common = tooCommon.has(raw[at] ?? '');
    mean(word, !common);
    for (let length = 2; length <= longest && at + length <= words.length; length++) mean(words.slice(at, at + length).join(' '), false);
  });
  return [...found.values()];
}
