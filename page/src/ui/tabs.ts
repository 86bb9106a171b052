const all = ['overview', 'tools', 'resources', 'prompts', 'tasks', 'logs', 'doctor', 'judge'] as const;
/** The views of one server. */
export type Tab = (typeof all)[number];
export const isTab = (name: string): name is Tab => all.some((one) => one === name);
/** The tabs next to the server: the wire, the activity log, recordings. */
export type DockTab = 'wire' | 'activity' | 'recordings';
