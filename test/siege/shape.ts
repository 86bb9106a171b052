import type { Random } from '../hostile/mutations.ts';
import type { DoorKind, Hostile } from './door.ts';

/** The tools of a shape for attacking a server. */
export interface Attack {
  readonly by: Random;
  readonly hostile: Hostile;
  /** Makes another hostile client, for another session. */
  another(): Hostile;
}

/** A kind of attack on a server. */
export interface Shape {
  readonly doors: readonly DoorKind[];
  run(attack: Attack): Promise<void>;
}
