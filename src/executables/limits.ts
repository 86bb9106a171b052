/** Limits of executables as tools. */
export interface ExecutableLimits {
  /** Milliseconds that one run of a tool may take; the time for questions to a person does not count. 1 minute. */
  runMs: number;
  /** Milliseconds that `--schema` may take. 5 seconds. */
  describeMs: number;
  /** Bytes that one run may write to stdout, and the same again to stderr. 8 MiB. */
  maxOutputBytes: number;
  /** Bytes of memory: of all processes of a run if there is a cgroup, else of each process. 512 MiB. */
  maxMemoryBytes: number;
  /** Processes of one run in a cgroup; of all runs together with another user. 64. */
  maxProcesses: number;
  /** Bytes of one file that a tool writes, if `prlimit` is available. 64 MiB. */
  maxFileBytes: number;
  /** Concurrent runs, not counting runs that wait for a tool that they called; further runs wait. 16. */
  maxConcurrentRuns: number;
  /** Runs that one call of a client may need: one more for each answer, and for each call of another tool. 50. */
  maxRunsPerCall: number;
  /** The depth to which tools may call each other. 5. */
  maxCallDepth: number;
  /** Executables in the folder; later ones in the order of names are left out. 500. */
  maxExecutables: number;
}

/** The default limits. */
export const defaultExecutableLimits: ExecutableLimits = {
  runMs: 60_000,
  describeMs: 5000,
  maxOutputBytes: 8 * 1024 * 1024,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxProcesses: 64,
  maxFileBytes: 64 * 1024 * 1024,
  maxConcurrentRuns: 16,
  maxRunsPerCall: 50,
  maxCallDepth: 5,
  maxExecutables: 500,
};
