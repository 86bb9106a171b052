// The doctor in the page: its connections are shown on the wire, and a finding names the message that shows it.
import { diagnose } from 'barewire/doctor';
import type { AskedBy } from 'barewire/doctor';
import type { FindingView } from '../messages.ts';
import type { PageHost } from './page-host.ts';

/** The server name of the doctor's connections on the wire. No real server's name has a colon. */
export const checkOf = (server: string): string => `${server}: check`;

/**
 * Checks a server over separate connections. Returns the facts, then errors, warnings and notes. `onFinding` gets the steps first, then
 * each of the results.
 */
export async function examine(page: PageHost, server: string, onFinding: (finding: FindingView) => void): Promise<readonly FindingView[]> {
  const entry = page.entry(server);
  const { config } = entry;
  const { open, compile, probe } = page.options;
  const name = checkOf(server);
  const before = entry.checks;
  const { findings, facts } = await diagnose({
    name: server,
    open: (trace) => {
      const connection = ++entry.checks;
      page.wire.mark(name, connection, 'opened', 'The doctor checks the server.');
      return open(server, config, {
        onStderr: () => {}, auth: page.logins.get(server)?.auth,
        trace: (passed) => {
          const isMessage = passed.kind !== 'http' && passed.kind !== 'event';
          page.wire.add(name, connection, undefined, isMessage ? { ...passed, origin: 'peer' } : passed);
          if (isMessage) trace(passed);
        },
      });
    },
    http: probe?.(config),
  }, { checkSchema: compile, onStep: (what) => onFinding({ ...plain, code: 'step', what: `looking at ${what}` }) });
  const seqOf = ({ conversation, id }: AskedBy): number | null => {
    for (const { entry: one } of page.wire.messages(name)) {
      if (one.connection === before + conversation && one.shape === 'request' && one.direction === 'sent' && one.rpcId === String(id)) return one.seq;
    }
    return null;
  };
  const views = [
    ...facts.map((what): FindingView => ({ ...plain, code: 'fact', what })),
    ...findings.map(({ code, severity, what, where, todo, request }): FindingView => ({
      code, level: severity, what, advice: todo, section: where, evidence: '', wire: request ? seqOf(request) : null,
    })),
  ];
  for (const view of views) onFinding(view);
  return views;
}

const plain = { level: 'ok', advice: '', section: '', evidence: '', wire: null } as const;
