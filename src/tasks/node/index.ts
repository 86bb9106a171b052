export { folderStore } from './folder-store.ts';
