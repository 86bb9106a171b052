import { diagnose, fetchProbe } from 'barewire/doctor';
import { isProgram } from 'barewire/host';
import type { ServerConfig } from 'barewire/host';
import { compile } from 'barewire/schema/full';
import type { FindingView } from '../messages.ts';
import type { OpenHooks } from '../host/index.ts';
import { openServer } from './open.ts';

/** Looks a server over, on connections of its own. What is in order comes first, then errors, warnings and notes. */
export async function examine(name: string, config: ServerConfig, auth: OpenHooks['auth'], onFinding: (finding: FindingView) => void): Promise<readonly FindingView[]> {
  const { findings, facts } = await diagnose({
    name,
    open: (trace) => openServer(config, { trace: (entry) => (entry.kind === 'http' || entry.kind === 'event' ? undefined : trace(entry)), onStderr: () => {}, auth }),
    ...!isProgram(config) && { http: { url: config.url, send: fetchProbe(fetch, { headers: config.headers ?? {} }) } },
  }, {
    checkSchema: compile,
    onStep: (what) => onFinding({ code: 'step', level: 'ok', what: `looking at ${what}`, advice: '', section: '', evidence: '' }),
  });
  const views: FindingView[] = [
    ...facts.map((what): FindingView => ({ code: 'fact', level: 'ok', what, advice: '', section: '', evidence: '' })),
    ...findings.map(({ code, severity, what, where, todo }): FindingView => ({ code, level: severity, what, advice: todo, section: where, evidence: '' })),
  ];
  for (const view of views) onFinding(view);
  return views;
}
