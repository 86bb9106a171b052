/**
 * `barewire/host/node`: Configuration files, a store and a log in files, `openServer`, questions in the terminal.
 *
 * @module
 */

export { chosenConfigFiles, configFiles, readApplication, readConfigFile, readConfigFiles } from './config-files.ts';
export type { Application, ChosenConfig, ConfigFile, ConfigReading, Machine } from './config-files.ts';
export { fileLog, logLines, verifyLogFile } from './file-log.ts';
export type { FileLogOptions } from './file-log.ts';
export { fileStore } from './file-store.ts';
export { acceptedFiles, folderConsent, folderFileLines } from './folder-consent.ts';
export type { AcceptedFiles } from './folder-consent.ts';
export { readFolderFile } from './folder-file.ts';
export type { FolderFile } from './folder-file.ts';
export { openServer } from './open-server.ts';
export { resolvePath } from './resolve-path.ts';
export { terminalAnswers } from './terminal-answers.ts';
export type { TerminalStreams } from './terminal-answers.ts';
