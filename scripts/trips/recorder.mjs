// The functions that instrumented code calls (instrument.mjs): they record the order and the depth of calls.

/**
 * Makes a recorder. `record(run)` resolves with the calls during `run`, in order:
 * `{ id, depth, calls }`. `depth` is 0 for a call from the event loop, plus one for each caller; a function resumed after an
 * `await` keeps its depth. `calls` counts its own calls. (A generator read by `for await` or `yield*` begins at depth 0: its
 * reader already waits.) `entered()` returns the number of calls so far.
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

  /** Records a call made by the running function to the served program, whose own code is not instrumented. */
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
