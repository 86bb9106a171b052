import { systemClock } from '../bounds/clock.ts';
import { isObject, methodNotFoundCode } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { visible } from '../explain/safe-text.ts';
import { findRevision, isImplementation } from '../protocol/internal-exports.ts';
import { revisions } from '../protocol/index.ts';
import { initializeParams } from './conversation.ts';
import type { ReceivedAnswer } from '../judge/plain-conversation.ts';
import type { Conversation } from './conversation.ts';
import type { Finding } from './finding.ts';
import { instead } from './lists.ts';

const newestLegacy = revisions.find(({ era }) => era === 'legacy')?.version ?? '';
const newestModern = revisions.find(({ era }) => era === 'modern')?.version ?? '';

/** The result of opening the protocol. */
export interface OpeningReport {
  readonly findings: readonly Finding[];
  /** The revision that `initialize` agreed on; undefined: the server does not serve the handshake. */
  readonly legacy: string | undefined;
  /** The revisions of `server/discover`; empty: the server does not serve it. */
  readonly modern: readonly string[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly server: string | undefined;
  /** Milliseconds until the first answer. */
  readonly answeredMs: number | undefined;
}

/** Opens the conversation like clients of both eras. */
export async function examineOpening(conversation: Conversation): Promise<OpeningReport> {
  const findings: Finding[] = [];
  const nothing = { legacy: undefined, modern: [], capabilities: {}, server: undefined, answeredMs: undefined };
  const began = systemClock.monotonic();
  const first = await conversation.ask('initialize', initializeParams(newestLegacy));
  const { lastAsked } = conversation;
  if (first.kind === 'result') {
    const answeredMs = systemClock.monotonic() - began;
    const { version, lacks, capabilities, server } = read(first.result, 'protocolVersion');
    if (lacks.length > 0) findings.push(conversation.finding('opening-malformed', `The result of initialize lacks ${lacks.join(', ')}.`));
    const known = findRevision(revisions, version);
    if (version !== undefined && known?.era !== 'legacy') {
      findings.push(conversation.finding('unknown-revision', `initialize offered ${newestLegacy} and was answered with ${visible(quote(version))}, ${known ? 'which has no handshake' : 'which is not a revision of the protocol'}.`));
    } else if (known) conversation.agreed(known);
    conversation.notify('notifications/initialized');
    return { findings, legacy: version, modern: [], capabilities, server, answeredMs };
  }
  if (first.kind === 'failed' && (conversation.gone !== undefined || conversation.kind === 'http')) return { ...nothing, findings: [ended(conversation, first)] };
  // A server that speaks only 2026-07-28 rejects initialize, but so may a broken server.
  const second = await conversation.ask('server/discover', {}, newestModern);
  if (second.kind === 'result') {
    const { versions, lacks, capabilities, server } = read(second.result, 'supportedVersions');
    if (lacks.length > 0) findings.push(conversation.finding('opening-malformed', `The result of server/discover lacks ${lacks.join(', ')}.`, { rule: 'form-discover', where: '2026-07-28 schema#discoverresult' }));
    if (first.kind === 'silent') findings.push(conversation.finding('unknown-method-silent', 'initialize got no answer: clients of earlier revisions wait in vain.', { request: lastAsked }));
    return { findings, legacy: undefined, modern: versions, capabilities, server, answeredMs: systemClock.monotonic() - began };
  }
  if (conversation.gone !== undefined) return { ...nothing, findings: [ended(conversation, second)] };
  if (first.kind === 'silent' && second.kind === 'silent') {
    const { foreignId } = conversation;
    const said = foreignId == null ? '' : ` An answer came with the id ${visible(quote(foreignId))}, which no request has.`;
    return { ...nothing, findings: [conversation.finding(
      'no-answer', `Neither initialize nor server/discover got an answer, but the server kept running.${said}`,
      said === '' ? {} : { todo: 'Copy the id of each request into its answer unchanged: a number must not become a text.' },
    )] };
  }
  return { ...nothing, findings: [conversation.finding('opening-refused', `initialize ${instead(first)}; server/discover ${instead(second)}.`)] };
}

/** Tests behaviour after the opening: an unknown method and, in the handshake era, ping. */
export async function examineManners(conversation: Conversation, opened: OpeningReport): Promise<Finding[]> {
  const findings: Finding[] = [];
  const modern = opened.legacy === undefined ? opened.modern[0] ?? newestModern : undefined;
  const odd = await conversation.ask('barewire-doctor/unknown', {}, modern);
  if (odd.kind === 'silent') findings.push(conversation.finding('unknown-method-silent', 'A request of an unknown method got no answer.'));
  else if (odd.kind === 'error' && odd.code !== methodNotFoundCode) findings.push(conversation.finding('unknown-method-code', `A request of an unknown method ${instead(odd)}; -32601 was expected.`));
  else if (odd.kind === 'result') findings.push(conversation.finding('unknown-method-code', 'A request of an unknown method was answered with a result; error -32601 was expected.'));
  if (modern !== undefined || conversation.gone !== undefined) return findings;
  const ping = await conversation.ask('ping');
  if (ping.kind !== 'result') findings.push(conversation.finding('ping-unanswered', `ping ${instead(ping)}.`));
  return findings;
}

/**
 * Asks a server of the handshake era for revisions of the stateless era. This needs a new conversation, because over
 * pipes the first request decides the era of a connection.
 */
export async function examineDiscovery(conversation: Conversation): Promise<{ readonly findings: readonly Finding[]; readonly modern: readonly string[] }> {
  const discovered = await conversation.ask('server/discover', {}, newestModern);
  const ends = discovered.kind === 'failed' && conversation.kind !== 'http';
  return {
    findings: ends ? [conversation.finding('discover-ends-server', `server/discover ended the server: it ${instead(discovered)}`)] : [],
    modern: discovered.kind === 'result' ? read(discovered.result, 'supportedVersions').versions : [],
  };
}

function ended(conversation: Conversation, outcome: ReceivedAnswer): Finding {
  return conversation.kind === 'http' ? conversation.finding('opening-refused', `initialize ${instead(outcome)}.`) : conversation.finding('ended-early', `It ended before it answered initialize: ${instead(outcome).replace(/^failed: /, '')}`);
}

interface ReadOpening {
  readonly version: string | undefined;
  readonly versions: readonly string[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly server: string | undefined;
  /** Members that are missing or have another type. */
  readonly lacks: readonly string[];
}

function read(result: unknown, member: 'protocolVersion' | 'supportedVersions'): ReadOpening {
  const value = isObject(result) ? result : {};
  const told = value[member];
  const modern = member === 'supportedVersions';
  const info = modern ? undefined : value['serverInfo'];
  const versions = Array.isArray(told) ? told.filter((one) => typeof one === 'string') : [];
  const lacks = [
    (modern ? versions.length === 0 : typeof told !== 'string') && member,
    !isObject(value['capabilities']) && 'capabilities',
    !modern && !isImplementation(info) && 'serverInfo with a name and a version',
  ].filter((one) => one !== false);
  return {
    version: typeof told === 'string' ? told : undefined,
    versions,
    capabilities: isObject(value['capabilities']) ? value['capabilities'] : {},
    server: isImplementation(info) ? visible(`${info.title ?? info.name} ${info.version}`).slice(0, 200) : undefined,
    lacks,
  };
}
