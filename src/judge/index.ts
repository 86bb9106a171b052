/**
 * `barewire/judge`: reports which rules of the specification a server or a client breaks, as data: `judgeServer`,
 * `judgeClient`. Does no input or output itself.
 *
 * @module
 */

export { judgeServer, seenRules } from './judge-server.ts';
export { judgeClient, seenClientRules } from './client/judge-client.ts';
export type { ClientEvents, ClientWay, HiddenRequest, HiddenStream, JudgedClient, Leaving, StartedClient, StartOptions } from './client/port.ts';
export { readItems } from './items-file.ts';
export type { JudgedAddress } from './http.ts';
export type { JudgedServer, JudgeClientOptions, JudgeFile, JudgeItems, JudgeLogin, JudgeOptions, NamedCall, JudgeRunOptions, SchemaCompiler } from './options.ts';
export { allRules, holdsIn, levelOf, rulesFor, ruleSetVersion } from './rules.ts';
export type { Level, JudgedRole, JudgedRule, RulePlace } from './rules.ts';
export type { WireEntry, Evidence, Judgement, JudgeRuling, RuleVerdict } from './verdict.ts';
export { jsonReport } from './report/json.ts';
export { counted, noPaint, textReport } from './report/text.ts';
export type { ReportPaint, TextReportOptions } from './report/text.ts';
export { badgeReport } from './report/badge.ts';
export { baselineOf, newFaults, readBaseline } from './report/baseline.ts';
export type { Baseline } from './report/baseline.ts';
export { htmlReport } from './report/html.ts';
export { junitReport } from './report/junit.ts';
export { sarifReport } from './report/sarif.ts';
export { withoutSecrets } from './report/secrets.ts';
export { wireReport } from './report/wire.ts';
