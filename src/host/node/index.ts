/**
 * `barewire/host/node`: Configuration files, a store and a log in files, `openServer`, questions in the terminal.
 *
 * @module
 */

export { configFiles, readApplication, readConfigFile } from './config-files.ts';
export type { Application, Machine } from './config-files.ts';
export { fileLog, logLines, verifyLogFile } from './file-log.ts';
export type { FileLogOptions } from './file-log.ts';
export { fileStore } from './file-store.ts';
export { openServer } from './open-server.ts';
export { resolvePath } from './resolve-path.ts';
export { terminalAnswers } from './terminal-answers.ts';
export type { TerminalStreams } from './terminal-answers.ts';
