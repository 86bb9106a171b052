/** The views of one server. */
export type Tab = 'overview' | 'tools' | 'resources' | 'prompts' | 'tasks' | 'logs' | 'doctor';
/** What stands beside the server: the wire, the activity log, recordings. */
export type DockTab = 'wire' | 'activity' | 'recordings';
