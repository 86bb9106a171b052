import type { ChildProcess } from 'node:child_process';

/** The programs that run; on Windows, with what ends one and its children (taskkill). Undefined: signals to its group do. */
const kept = new Map<ChildProcess, (() => void) | undefined>();

/** What a server may know without being told. The lists are those of the official SDKs. */
const inherited: readonly string[] = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
const inheritedOnWindows: readonly string[] = [
  'APPDATA', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PROCESSOR_ARCHITECTURE', 'PROGRAMFILES',
  'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE',
];

/** The environment of a server: a short list of this process's variables, and what is given. */
export function safeEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of process.platform === 'win32' ? inheritedOnWindows : inherited) {
    const value = process.env[name];
    // An exported shell function: some shells would run it.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/**
 * Sends a signal to a program and to all that it has started. On Windows either signal ends all of them at once; those
 * whose parent has ended before are not found there. Nothing happens once the program has been forgotten: its number
 * may be another's by then.
 */
export function signalTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined || !kept.has(child)) return;
  const kill = kept.get(child);
  if (kill) {
    kill();
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the group is empty.
  }
}

function killKept(): void {
  for (const child of kept.keys()) signalTree(child, 'SIGKILL');
}

/** Signals that end a process which does not listen to them, without the event `exit`. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The program and what it has started get a signal too; where somebody else listens, that is theirs to do. */
function passOn(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  for (const child of kept.keys()) signalTree(child, 'SIGTERM');
  unhook();
  process.kill(process.pid, signal);
}

function hook(): void {
  process.on('exit', killKept);
  for (const signal of endings) process.on(signal, passOn);
}

function unhook(): void {
  process.off('exit', killKept);
  for (const signal of endings) process.off(signal, passOn);
}

/**
 * Sees to it that the program does not outlive this process. One hook serves all of them. A process that gets
 * SIGKILL cannot do anything: its servers see their stdin end.
 * @param kill ends it with all that it has started; without one, its process group gets signals
 */
export function keepUntilExit(child: ChildProcess, kill?: () => void): void {
  if (kept.size === 0) hook();
  kept.set(child, kill);
}

export function forget(child: ChildProcess): void {
  kept.delete(child);
  if (kept.size === 0) unhook();
}
