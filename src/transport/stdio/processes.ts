import type { ChildProcess } from 'node:child_process';

/** The running programs; on Windows each with a function that ends it and its children (taskkill), otherwise undefined. */
const kept = new Map<ChildProcess, (() => void) | undefined>();

/** The variables that a server inherits. The lists are those of the official SDKs. */
const inherited: readonly string[] = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
const inheritedOnWindows: readonly string[] = [
  'APPDATA', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PROCESSOR_ARCHITECTURE', 'PROGRAMFILES',
  'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE',
];

/** The environment of a server: a short list of variables of this process, and the `given` ones. */
export function safeEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of process.platform === 'win32' ? inheritedOnWindows : inherited) {
    const value = process.env[name];
    // Skip exported shell functions: some shells would run them.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/**
 * Sends a signal to the process group of a program. On Windows either signal kills the program and its descendants at once,
 * except those whose parent has exited before. Does nothing after `forget`, because another process may have the process
 * id by then.
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

/** Signals that by default end a process without the event `exit`. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Sends SIGTERM to all programs, then ends this process. If the application listens to the signal, it must do this itself. */
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
 * Stops the program when this process exits. After SIGKILL this process cannot do that: its servers see the end of stdin.
 * @param kill ends the program and its descendants; without it, its process group gets signals
 */
export function keepUntilExit(child: ChildProcess, kill?: () => void): void {
  if (kept.size === 0) hook();
  kept.set(child, kill);
}

export function forget(child: ChildProcess): void {
  kept.delete(child);
  if (kept.size === 0) unhook();
}
