import { checkOptions } from '../bounds/options.ts';
import { visible } from '../explain/safe-text.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { quote, shorten } from '../bounds/quote.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import { examineAddress } from './address.ts';
import type { Address } from './address.ts';
import { Conversation } from './conversation.ts';
import { finding } from './finding.ts';
import type { Finding, FindingCode } from './finding.ts';
import type { SchemaCheck } from './items.ts';
import { examineLists } from './lists.ts';
import { examineDiscovery, examineManners, examineOpening } from './opening.ts';

/** The server to examine. */
export interface Subject {
  /** Its name for people: the command, or the address. */
  readonly name: string;
  /** Opens a new transport to it, with its own process or session. Each message must be passed to `trace`. */
  readonly open: (trace: Trace) => ClientTransport;
  /** For an address: sends plain HTTP requests to it. */
  readonly http?: Address | undefined;
}

/** Options of an examination. */
export interface DiagnoseOptions {
  /** Milliseconds to wait for each answer. 10 s. */
  readonly timeoutMs?: number;
  /** A first answer after more milliseconds than this counts as slow. 5 s. */
  readonly slowMs?: number;
  /** Milliseconds to wait for the first answer, since the start may fetch a package. 60 s. */
  readonly startMs?: number;
  /** The origin of a page that will use the address, such as `https://app.example`. */
  readonly origin?: string | undefined;
  /** The revisions that the client speaks. Default: all. */
  readonly revisions?: readonly string[] | undefined;
  /** Checks the schemas of tools: `compile` of barewire/schema/full. Without it schemas are only inspected. */
  readonly checkSchema?: SchemaCheck | undefined;
  /** Called with the next step, for a person who waits. */
  readonly onStep?: (what: string) => void;
}

/** The result of an examination. */
export interface Diagnosis {
  /** Errors first. */
  readonly findings: readonly Finding[];
  /** Lines about working features: the server's name, revisions, counts, times. */
  readonly facts: readonly string[];
}

/**
 * Finds out why a server does not work, or works badly. It connects, opens the protocol in both eras and lists what
 * the server offers; it calls no tool and reads no resource. It ends by itself, and rejects only with a TypeError,
 * for an unknown or malformed option.
 */
export async function diagnose(subject: Subject, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  checkOptions('diagnose: subject', subject, { name: 'string', open: 'function', http: 'object' });
  checkOptions('diagnose: options', options, {
    timeoutMs: 0, slowMs: 0, startMs: 0, origin: 'string', revisions: 'list', checkSchema: 'function', onStep: 'function',
  });
  const findings: Finding[] = [];
  const facts: string[] = [];
  await examine(subject, options, findings, facts);
  const order = ['error', 'warning', 'note'];
  return { findings: findings.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity)), facts };
}

async function examine(
  { name, open, http }: Subject, { timeoutMs = 10_000, slowMs = 5_000, startMs = 60_000, origin, revisions, checkSchema, onStep = () => {} }: DiagnoseOptions,
  findings: Finding[], facts: string[],
): Promise<void> {
  let refusals: readonly Finding[] = [];
  if (http) {
    onStep('the address');
    const report = await examineAddress(http, origin);
    if (!report.usable) return void findings.push(...report.findings);
    // The transport may have credentials: then the 401 is not a problem.
    if (report.wantsLogin) refusals = report.findings;
    else findings.push(...report.findings);
  }
  const conversation = new Conversation(1, open, timeoutMs, startMs);
  try {
    onStep('the opening');
    try {
      await conversation.open();
    } catch (thrown) {
      return void findings.push(startFinding(thrown, name));
    }
    const opened = await examineOpening(conversation);
    if (refusals.length > 0) {
      if (opened.server === undefined && opened.modern.length === 0) return void findings.push(...refusals);
      findings.push(...refusals.filter(({ code }) => code !== 'unauthorized'));
    }
    findings.push(...opened.findings);
    if (opened.answeredMs !== undefined) {
      facts.push(`first answer after ${Math.round(opened.answeredMs)} ms`);
      if (opened.answeredMs > slowMs) findings.push(finding('slow-start', `The first answer came after ${(opened.answeredMs / 1000).toFixed(1)} s; several hosts wait 5 to 30 s.`));
    }
    if (opened.server !== undefined) facts.push(`it is ${opened.server}`);
    if (opened.legacy === undefined && opened.modern.length === 0) return;
    const modern = opened.legacy === undefined ? opened.modern[0] : undefined;
    onStep('its tools, resources and prompts');
    const lists = await examineLists(conversation, opened.capabilities, modern, checkSchema);
    findings.push(...lists.findings);
    const counted = Object.entries(lists.counts).map(([member, count]) => `${count} ${member}`);
    if (counted.length > 0) facts.push(counted.join(', '));
    onStep('its behaviour');
    if (conversation.gone === undefined) findings.push(...await examineManners(conversation, opened));
    const other = opened.legacy === undefined || conversation.gone !== undefined ? { findings: [], modern: opened.modern }
      : await examineOtherEra(new Conversation(2, open, timeoutMs, startMs), opened.capabilities);
    findings.push(...other.findings);
    const spoken = [...opened.legacy === undefined ? [] : [opened.legacy], ...other.modern];
    facts.push(`it speaks ${visible(shorten([...new Set(spoken)].sort().join(', ')))}`);
    if (revisions && !spoken.some((one) => revisions.includes(one))) {
      findings.push(finding('wrong-era', `It speaks ${visible(shorten(spoken.join(', ')))}, and the client ${revisions.join(', ')}.`));
    }
  } finally {
    const gone = conversation.gone !== undefined;
    const ms = await conversation.close();
    if (conversation.kind !== 'http' && !gone && ms > endMs) findings.push(finding('does-not-end', `It went on for ${(ms / 1000).toFixed(1)} s after its stdin was closed, and had to be killed.`));
    if (conversation.kind !== 'http' && conversation.stray.length > 0) {
      const shown = conversation.stray.slice(0, 3).map((line) => visible(quote(line, 200))).join(', ');
      findings.push(finding('stray-output', `stdout has ${conversation.stray.length === 1 ? 'a line that is not a message' : `${conversation.stray.length} lines that are not messages`}: ${shown}.`));
    }
  }
}

/** Tests a server of the handshake era also in the stateless era, over a new process or session. */
async function examineOtherEra(
  conversation: Conversation, capabilities: Readonly<Record<string, unknown>>,
): Promise<{ readonly findings: readonly Finding[]; readonly modern: readonly string[] }> {
  try {
    await conversation.open();
    const { findings, modern } = await examineDiscovery(conversation);
    const [newest] = modern;
    if (newest === undefined || conversation.gone !== undefined) return { findings, modern };
    // Check the newer era's rules for results too.
    const tried = await examineLists(conversation, { tools: capabilities['tools'], prompts: capabilities['prompts'] }, newest, undefined);
    return { findings: [...findings, ...tried.findings.filter(({ code }) => newer.includes(code))], modern };
  } catch {
    // The server was reachable before, so an error here says nothing about the other era.
    return { findings: [], modern: [] };
  } finally {
    await conversation.close();
  }
}

/** Findings of the second listing that are kept; the first listing has covered the others. */
const newer: readonly FindingCode[] = ['result-type-missing', 'cache-fields-missing', 'list-failed'];

/** If a program takes more milliseconds than this to end after its stdin was closed, the transport had to kill it. */
const endMs = 1_800;

/** The reason why a program could not be started, from the error of the transport's `open` (or its cause). */
export function startFinding(thrown: unknown, name: string): Finding {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const { code } = (typeof cause === 'object' && cause !== null ? cause : {}) as { readonly code?: unknown };
  const command = visible(shorten(name));
  if (code === 'ENOENT') return finding('command-not-found', `${command}: the program or its working directory does not exist.`);
  if (code === 'EACCES') return finding('not-executable', `${command}: the file is not executable.`);
  return finding('start-failed', `${command}: ${visible(shorten(errorMessage(thrown), 400))}`);
}

