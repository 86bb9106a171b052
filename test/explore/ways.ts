/**
 * Ways that no run has taken, by their number of steps. In a bounded exploration the next one is taken from a random depth, so that
 * runs part early as often as late. Beyond `most` ways, one of the deepest is dropped for each that comes.
 */
export class Ways<W> {
  readonly #most: number;
  readonly #byDepth: W[][] = [];
  #size = 0;
  /** Some way was dropped: what is left is not the whole space. */
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

  /** Takes one from the deepest, so that the fewest are held. There is one at least. */
  takeDeepest(): W {
    this.#size--;
    return this.#deepest().pop() as W;
  }

  /** Takes one at random. There is one at least. */
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
