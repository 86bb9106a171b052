/**
 * Ways (sequences of steps that no run has continued yet), by their number of steps. A bounded exploration takes the next way from a random
 * depth, so that runs diverge early as often as late. Above `most` ways, each new one replaces one of the deepest.
 */
export class Ways<W> {
  readonly #most: number;
  readonly #byDepth: W[][] = [];
  #size = 0;
  /** True if a way was dropped: the rest is not the whole space. */
  dropped = false;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  add(depth: number, way: W): void {
    while (this.#byDepth.length <= depth) this.#byDepth.push([]);
    (this.#byDepth[depth] as W[]).push(way);
    this.#size++;
    if (this.#size <= this.#most) return;
    this.dropped = true;
    this.#deepest().pop();
    this.#size--;
  }

  #deepest(): W[] {
    while ((this.#byDepth.at(-1) as W[]).length === 0) this.#byDepth.pop();
    return this.#byDepth.at(-1) as W[];
  }

  /** Takes one of the deepest ways, so that few are held. The list must not be empty. */
  takeDeepest(): W {
    this.#size--;
    return this.#deepest().pop() as W;
  }

  /** Takes a way at random. The list must not be empty. */
  take(random: () => number): W {
    const depths = this.#byDepth.filter((ways) => ways.length > 0);
    const ways = depths[Math.floor(random() * depths.length)] as W[];
    const at = Math.floor(random() * ways.length);
    const way = ways[at] as W;
    ways[at] = ways.at(-1) as W;
    ways.pop();
    this.#size--;
    return way;
  }
}
