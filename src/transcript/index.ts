/**
 * `barewire/transcript`: `recorder`, `Replay`, `MockServer`, `compareTranscripts`: sessions as text.
 *
 * @module
 */

export { difference, fill } from './difference.ts';
export { httpRecorder } from './http-recorder.ts';
export type { HttpRecorder } from './http-recorder.ts';
export { MockServer } from './mock-server.ts';
export { recorder } from './recorder.ts';
export type { Recorder } from './recorder.ts';
export { compareTranscripts, Replay } from './replay.ts';
export type { Difference, ReplayOptions } from './replay.ts';
export { parseTranscript } from './transcript.ts';
export type { Line, Transcript } from './transcript.ts';
