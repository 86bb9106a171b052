/** Orders in which the explorer found faults, each with its world. The faults are fixed; a test replays the orders. */
export interface Found {
  readonly world: string;
  readonly what: string;
  readonly steps: readonly string[];
}

export const found: readonly Found[] = [
  {
    world: 'rounds once',
    what: 'A modern request was cancelled, and its handler asked after that: its run never ended, and its bytes stayed charged to the client\'s budget.',
    steps: [
      'the client calls', 'the server gets 1: tools/call 1', 'the quote is there', 'the client gets 1: answer 1', 'the client answers 1, once',
      'the server gets 2: tools/call 2', 'the client answers 1, twice', 'the server gets 3: tools/call 3', 'the client gets 2: answer 3',
      'the state expires', 'the client cancels 2', 'the server gets 4: cancelled', 'the hold is there',
    ],
  },
];
