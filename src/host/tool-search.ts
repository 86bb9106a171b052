import { isObject } from '../jsonrpc/codec.ts';
import type { Tool } from '../protocol/tools.ts';
import { wordsOf } from './words.ts';

/** What is searched: a tool under the name that the catalogue gives it. */
export interface Searchable {
  readonly name: string;
  readonly server: string;
  readonly tool: Tool;
}

/** A word in the name says more than one in a parameter's description. */
const weights = { name: 3, title: 2, server: 1, parameter: 1.5, description: 1 };

/** How much a repeated word adds, and how much long texts are held back (Okapi BM25, Robertson and Walker 1994). */
const saturation = 1.2;
const lengthShare = 0.6;

/** Ranks tools by the words of a request. Made anew when the catalogue changes. */
export class ToolSearch<T extends Searchable> {
  readonly #tools: readonly T[];
  /** For each word: the tools that have it, by index, and how much of it. */
  readonly #postings = new Map<string, { readonly at: number; readonly weight: number }[]>();
  readonly #lengths: Float64Array;
  readonly #mean: number;

  constructor(tools: readonly T[]) {
    // By name, so that equal scores come in the same order whatever order the servers answered in.
    this.#tools = [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#lengths = new Float64Array(this.#tools.length);
    this.#tools.forEach((tool, at) => {
      const words = weigh(tool);
      for (const [word, weight] of words) {
        const list = this.#postings.get(word);
        if (list) list.push({ at, weight });
        else this.#postings.set(word, [{ at, weight }]);
        this.#lengths[at] = (this.#lengths[at] ?? 0) + weight;
      }
    });
    this.#mean = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, this.#tools.length) || 1;
  }

  /** The best `limit` tools, best first; always the same for the same catalogue and request. */
  find(query: string, limit: number = 10): T[] {
    const scores = new Map<number, number>();
    const all = this.#tools.length;
    for (const word of new Set(wordsOf(query))) {
      const list = this.#postings.get(word);
      if (!list) continue;
      const rarity = Math.log(1 + (all - list.length + 0.5) / (list.length + 0.5));
      for (const { at, weight } of list) {
        const held = saturation * (1 - lengthShare + lengthShare * (this.#lengths[at] ?? 0) / this.#mean);
        scores.set(at, (scores.get(at) ?? 0) + rarity * (weight * (saturation + 1)) / (weight + held));
      }
    }
    return [...scores]
      .sort(([a, one], [b, other]) => other - one || a - b)
      .slice(0, Math.max(0, limit))
      .map(([at]) => this.#tools[at] as T);
  }
}

function weigh({ server, tool }: Searchable): Map<string, number> {
  const words = new Map<string, number>();
  const add = (text: unknown, weight: number): void => {
    if (typeof text !== 'string') return;
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(tool.name, weights.name);
  add(tool.title ?? tool.annotations?.title, weights.title);
  add(server, weights.server);
  add(tool.description, weights.description);
  const { properties } = tool.inputSchema;
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties).slice(0, 100)) {
      add(name, weights.parameter);
      if (isObject(property)) add(property['description'], weights.description / 2);
    }
  }
  return words;
}
