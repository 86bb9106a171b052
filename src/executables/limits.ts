/** Limits of executables as tools. */
export interface ExecutableLimits {
  /** Milliseconds that one run may take, not counting the time for questions to a person. 1 minute. */
  runMs: number;
  /** Milliseconds that `--schema` may take. 5 seconds. */
  describeMs: number;
  /** Bytes that one run may write to stdout, and the same again to stderr. 8 MiB. */
  maxOutputBytes: number;
  /** Bytes of memory: with a cgroup, of all processes of a run together; otherwise of each process. 512 MiB. */
  maxMemoryBytes: number;
  /** Processes: with a cgroup, of one run; with another user, of all runs together. 64. */
  maxProcesses: number;
  /** Bytes of one file that a tool writes, if `prlimit` is available. 64 MiB. */
  maxFileBytes: number;
  /** Concurrent runs, not counting runs that wait for a tool that they called. Further runs wait. 16. */
  maxConcurrentRuns: number;
  /** Runs for one client call, including the runs for each answer and for called tools. 50. */
  maxRunsPerCall: number;
  /** The depth to which tools may call each other. 5. */
  maxCallDepth: number;
  /** Executables in the folder; in the order of names, later ones are left out. 500. */
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
