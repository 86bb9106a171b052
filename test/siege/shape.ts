import type { Random } from '../hostile/mutations.ts';
import type { DoorKind, Hostile } from './door.ts';

/** What a shape has to attack a server with. */
export interface Attack {
  readonly by: Random;
  readonly hostile: Hostile;
  /** A hostile client of its own, for another session. */
  another(): Hostile;
}

/** A kind of attack on a server. */
export interface Shape {
  readonly doors: readonly DoorKind[];
  run(attack: Attack): Promise<void>;
}
