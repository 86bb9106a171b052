// Checks a run against the reports of its clients and its ledger.

/** Errors that the death of a process or of the engine explains, by their message. */
const named = [
  ['the process has gone', /The process that served this request has gone/],
  ['the process has closed', /closed before it answered/],
  ['cannot be resumed', /cannot be resumed after event/],
  ['the stream is lost', /the stream is lost/],
  ['the answer was refused', /the answer was refused/],
  ['the engine is away', /The sessions cannot be reached/],
  ['HTTP 5xx', /HTTP 50[0234]/],
  ['HTTP 404', /HTTP 404|no longer has this session|session.*(expired|gone)|Session not found/i],
  ['connection broken', /fetch failed|terminated|ECONNREFUSED|ECONNRESET|other side closed|connection was cut|socket/i],
  ['the channel is closed', /closed/i],
];

const nameOf = (error) => {
  const text = [error?.message, error?.cause?.message].join(' ');
  return named.find(([, pattern]) => pattern.test(text))?.[0];
};

/** Reads the ledger: for each call, the events that the store has acknowledged, and the answers that its handler has received. */
export function readLedger(text) {
  const [kept, heard, errors, began] = [new Map(), new Map(), new Map(), new Map()];
  for (const line of text.split('\n')) {
    const [what, call, ...rest] = line.split(' ');
    if (what === 'kept') kept.set(call, Math.max(kept.get(call) ?? 0, Number(rest[0])));
    else if (what === 'heard') heard.set(call, [...heard.get(call) ?? [], rest.join(' ')]);
    else if (what === 'began') began.set(call, Number(rest[0]));
    else if (what === 'error') {
      const message = line.slice(6).replace(/[0-9a-v]{8,}(-[0-9a-z]+)*/g, '…');
      errors.set(message, (errors.get(message) ?? 0) + 1);
    }
  }
  return { kept, heard, errors, began };
}

/**
 * @param run `clients`, `ledger`, `blows`: the times at which a process was killed or the engine was away, each
 *   `[from, to, what]` by the clock of the calls; `leaseMs`; `slackMs`: the delay of a busy machine beyond the lease and a second.
 */
export function check({ clients, ledger, blows, leaseMs, slackMs }) {
  const faults = [];
  const counts = {};
  const count = (kind, what) => {
    counts[kind] ??= {};
    counts[kind][what] = (counts[kind][what] ?? 0) + 1;
  };
  /** Describes the blows near a call, with their times in milliseconds after its start. */
  const nearby = ({ start, end = start }) => blows.filter(([from, to]) => from < end + 2000 && to > start - 2000)
    .map(([from, to, what]) => `${what} ${Math.round(from - start)}..${Math.round(to - start)}`).join(', ');
  const fault = (call, what) => faults.push([
    `${what}: ${call.id} ${call.tool} of ${call.kind}, ${Math.round((call.end ?? NaN) - call.start)} ms`,
    call.error && `${call.error.name}: ${call.error.message}`,
    `posted: ${call.posted ?? 'no answer'}, ${ledger.began.has(call.id) ? `its handler began after ${ledger.began.get(call.id) - call.at} ms` : 'its handler never began'}`, call.asked && `asked at ${Math.round(call.asked - call.start)}, ${call.taken ? 'answer taken' : 'answer not taken'}, ${ledger.heard.has(call.id) ? 'heard' : 'not heard'}`, `died: ${nearby(call) || 'nothing'}`,
  ].filter(Boolean).join('; '));
  const overlaps = (call) => blows.filter(([from, to]) => from <= call.end && to >= call.start - 1000);
  let [longest, takenAndFailed, checkedEvents] = [0, 0, 0];

  for (const client of clients) {
    const { kind } = client;
    for (const call of client.calls) {
      if (call.end === undefined) {
        fault(call, 'never ended');
        continue;
      }
      const near = overlaps(call);
      const away = near.reduce((sum, [from, to, what]) => (what === 'engine' ? sum + Math.min(to, call.end) - Math.max(from, call.start) : sum), 0);
      const waited = call.end - call.start - call.workMs;
      longest = Math.max(longest, waited);
      if (waited > leaseMs + 1000 + Math.max(0, away) + slackMs) fault(call, 'waited too long');

      if (call.error) {
        const why = nameOf(call.error);
        if (why === undefined) fault(call, 'ended with an error that names nothing');
        else if (why === 'the engine is away' && !near.some(([, , what]) => what === 'engine')) fault(call, 'named an engine that was there');
        else if (near.length === 0) fault(call, 'failed though nothing died');
        else if (why === 'HTTP 404' && !kind.pair) fault(call, 'lost its session');
        count(kind.name, why ?? 'unexpected');
        if (call.taken) takenAndFailed++;
      } else {
        count(kind.name, 'result');
        const wanted = call.tool === 'ask' || call.tool === 'think' ? `${call.id} w-${call.id}` : call.id;
        if (call.text !== wanted) fault(call, `the result is another call's: ${call.text}`);
      }

      // Progress: each step once and in order. With a result all steps must have come, otherwise those that the store has kept.
      const { progress } = call;
      if (progress.some((step, i) => step !== i + 1)) fault(call, `progress came as ${progress.join(',')}`);
      const whole = call.tool === 'steps' && !call.error ? call.args.count : 0;
      if (progress.length < whole) fault(call, `${progress.length} of ${whole} steps came`);
      const stored = ledger.kept.get(call.id) ?? 0;
      const resumable = !kind.pair && !kind.modern && ['the process has gone', undefined].includes(nameOf(call.error));
      if (resumable && (!call.error || nameOf(call.error) === 'the process has gone')) {
        checkedEvents += stored;
        if (progress.length < stored) fault(call, `${progress.length} of ${stored} stored steps came`);
      }
      const heard = ledger.heard.get(call.id) ?? [];
      if (heard.some((word) => word !== `w-${call.id}`)) fault(call, `its handler heard ${heard.join(',')}`);
    }
    if (client.duplicates > 0) faults.push(`${client.duplicates} requests of client ${client.number} (${kind.name}) were answered twice`);
    if (client.lostSessions > 0 && !kind.pair) faults.push(`client ${client.number} (${kind.name}) got 404 ${client.lostSessions} times`);
  }

  // Each changed resource was announced to its subscriber, at once or later.
  let [touched, told, silenced, away] = [0, 0, 0, 0];
  /** Whether something died between `before` ms before the call and `after` ms after it. */
  const died = (call, before, after) => blows.some(([from, to]) => from <= call.end + after && to >= call.start - before);
  for (const toucher of clients) {
    for (const call of toucher.calls) {
      if (call.tool !== 'touch' || call.error || call.end === undefined) continue;
      const owner = clients[Number(/\d+/.exec(call.args.uri)[0])];
      if (owner.kind.pair) continue;
      touched++;
      if (owner.updates.some(({ uri, at }) => uri === call.args.uri && at >= call.start)) told++;
      // A notification may be lost with its process, and a client of 2026-07-28 gets none while its stream is disconnected.
      else if (blows.some(([from, , what]) => what === 'process' && from > call.start && from < call.end + 1000)) silenced++;
      else if (owner.kind.modern && died(call, 1000, 1000)) away++;
      else fault(call, `client ${owner.number} (${owner.kind.name}) never heard of the change of ${call.args.uri}`);
    }
  }
  const sum = (what) => clients.reduce((total, client) => total + client[what], 0);
  return {
    faults, counts,
    totals: {
      calls: clients.reduce((total, { calls }) => total + calls.length, 0),
      'streams cut by the test': sum('cuts'),
      'answers taken (202)': sum('takenAnswers'),
      'of them, whose call failed': takenAndFailed,
      'answers refused': sum('refusedAnswers'),
      'stored events checked': checkedEvents,
      'changes of resources told': `${told} of ${touched}; ${silenced} died with the process that made them, ${away} while a 2026-07-28 client was away`,
      'connections made': sum('connects'),
      'longest wait beside the work': `${Math.round(longest)} ms`,
    },
  };
}
