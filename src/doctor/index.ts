/**
 * `barewire/doctor`: finds out why a server does not work, as data: `diagnose` and its parts. It does no input or output
 * itself.
 *
 * @module
 */

export { badAnswer, examineAddress } from './address.ts';
export type { Address, AddressReport } from './address.ts';
export { diagnose, startFinding } from './diagnose.ts';
export type { Diagnosis, DiagnoseOptions, Subject } from './diagnose.ts';
export { findingKinds } from './finding.ts';
export type { AskedBy, Finding, FindingCode, Kind, Severity } from './finding.ts';
export { examinePrompts, examineResources, examineTemplates, examineTools } from './items.ts';
export type { SchemaCheck } from './items.ts';
export { networkFinding } from './network.ts';
export { fetchProbe } from './probe.ts';
export type { Probe, ProbeAnswer, ProbeRequest } from './probe.ts';
