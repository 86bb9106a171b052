// Configurations of other applications, for import. Only the user's own files are read, none of the current folder.
import { configFiles, readApplication } from 'barewire/host/node';
import type { Application } from 'barewire/host/node';
import type { Importing } from '../host/index.ts';

export const applications: readonly Application[] = ['claude-desktop', 'claude-code', 'vscode', 'cursor'];

export const importing: Importing = {
  applications,
  async read(name) {
    const application = applications.find((one) => one === name);
    if (!application) return undefined;
    return { paths: configFiles(application).filter(({ owner }) => owner === 'user').map(({ file }) => file), servers: await readApplication(application) };
  },
};
