import { clock } from '../bounds/times.ts';

/**
 * How long a lease holds for certain, as whoever has it may believe. Two clocks must both say so: the system's clock may
 * be set back, and the other one stands still while the machine sleeps.
 */
export class LeaseTime {
  #steady: number;
  #system: number;

  /** A lease that is asked for now. The process may be stopped before it is granted: its time begins here. */
  constructor(ms: number) {
    this.#steady = clock() + ms;
    this.#system = Date.now() + ms;
  }

  get isOver(): boolean {
    return clock() >= this.#steady || Date.now() >= this.#system;
  }
}
