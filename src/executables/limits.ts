/** What executables as tools may take. */
export interface ExecutableLimits {
  /** Milliseconds that one run of a tool may take; time in which a person is asked does not count. 1 minute. */
  runMs: number;
  /** Milliseconds that `--schema` may take. 5 seconds. */
  describeMs: number;
  /** Bytes that one run may write to stdout, and the same again to stderr. 8 MiB. */
  maxOutputBytes: number;
  /** Bytes of memory: of all processes of a run where there is a cgroup, else of each. 512 MiB. */
  maxMemoryBytes: number;
  /** Processes of one run in a cgroup, and of all runs together with another user. 64. */
  maxProcesses: number;
  /** Bytes of one file that a tool writes, where there is `prlimit`. 64 MiB. */
  maxFileBytes: number;
  /** Runs at one time, beside those that another run waits for; further ones wait. 16. */
  maxConcurrentRuns: number;
  /** Runs that one call of a client may come to: a run again for each answer, and calls of other tools. 50. */
  maxRunsPerCall: number;
  /** How deep tools may call each other. 5. */
  maxCallDepth: number;
  /** Executables in the folder; what follows by name is left out. 500. */
  maxExecutables: number;
}

/** The limits that hold where none is given. */
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
