/**
 * `barewire/host`: `Host`: many servers, rules, consent, pins, an activity log.
 *
 * @module
 */

export { ActivityLog, emptyLog, memoryLog, verifyLog } from './activity-log.ts';
export type { Activity, ActivityKind, LogHead, LogSink, LogVerdict } from './activity-log.ts';
export type { Grant, Reach, Shown } from './approvals.ts';
export type { ToolSelection } from './availability.ts';
export type { Catalogue, CatalogueTool, Offered } from './catalogue.ts';
export { expandVariables, isProgram, readServers } from './config.ts';
export type { AddressConfig, ProgramConfig, ServerConfig, Variables } from './config.ts';
export { canonicalJson, digestOf } from '../skills/digest.ts';
export { HostError } from './errors.ts';
export type { HostErrorCode } from './errors.ts';
export { findAndCall } from './find-and-call.ts';
export type { FindAndCall, FindAndCallOptions } from './find-and-call.ts';
export { findTools } from './find-tools.ts';
export { Host } from './host.ts';
export type { ServerStatus } from './host.ts';
export { defaultHostLimits } from './options.ts';
export type { HostLimits, HostOptions, TransportHooks } from './options.ts';
export type { RestartLimits, ServerState } from './managed-server.ts';
export type { ApprovalRequest, Consent, Decision, Person, PersonContext } from './person.ts';
export { comparePins, diffTools, toolDigest } from './pins.ts';
export type { Pin, PinChange, PinnedServer } from './pins.ts';
export type { Model } from './questions.ts';
export { redact } from './redaction.ts';
export { readRules } from './read-rules.ts';
export { rule } from './rules.ts';
export type { CallOrigin, ResolvePath, Rule, RuledCall, Ruling, Verdict } from './rules.ts';
export { hostSkills } from './skills.ts';
export type { HostSkill, HostSkills, HostSkillsOptions, LoadedSkill, LoadedSkillFile, SkillGrant, SkillRequest } from './skills.ts';
export { memoryStore } from './store.ts';
export type { HostStore, SharedStore } from './store.ts';
export type { ConsentLimits, HostApp, HostCallOptions } from './tool-calls.ts';
export { searchables } from './searchable.ts';
export type { Listed, Searchable } from './searchable.ts';
export { ToolSearch } from './tool-search.ts';
export type { Rank, ToolSearchOptions } from './tool-search.ts';
