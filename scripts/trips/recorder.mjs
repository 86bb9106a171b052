// What instrumented code calls (instrument.mjs): it keeps the order and the depth of the calls while it records.

/**
 * Makes a recorder. `record(run)` resolves with the calls that began while `run` went on, in their order:
 * `{ id, depth, calls }`. `depth` is 0 for what the event loop calls, and one more for each caller; a function that goes on
 * after an `await` has the depth that it had before. `calls` counts the calls that it made itself. (A generator that is read
 * by `for await` or `yield*` begins at depth 0: its reader waits already.) `entered()` is how many calls began so far.
 */
export function createRecorder() {
  let current;
  let recorded;
  let entries = 0;

  function enter(id) {
    const frame = { depth: current === undefined ? 0 : current.depth + 1, caller: current, suspended: false, call: undefined };
    if (recorded !== undefined) {
      frame.call = { id, depth: frame.depth, calls: 0 };
      recorded.push(frame.call);
    }
    called();
    entries++;
    current = frame;
    return frame;
  }

  function exit(frame) {
    if (!frame.suspended) current = frame.caller;
  }

  function suspend(frame, value) {
    if (!frame.suspended) current = frame.caller;
    frame.suspended = true;
    return value;
  }

  function resume(frame, value) {
    if (frame.suspended) {
      frame.suspended = false;
      frame.caller = current;
      current = frame;
    }
    return value;
  }

  /** The function that runs has made a call. The code of the program that is served is not recorded, and says so by this. */
  function called() {
    if (current?.call !== undefined) current.call.calls++;
  }

  async function record(run) {
    if (recorded !== undefined) throw new Error('the recorder records already');
    recorded = [];
    try {
      await run();
      return recorded;
    } finally {
      recorded = undefined;
    }
  }

  return { enter, exit, suspend, resume, called, record, entered: () => entries };
}
