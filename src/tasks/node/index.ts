/**
 * `barewire/tasks/node`: `folderStore`: tasks in a folder, for several processes.
 *
 * @module
 */

export { folderStore } from './folder-store.ts';
export type { FolderStoreOptions } from './folder-store.ts';
