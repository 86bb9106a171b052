// The configurations of other applications, to be imported. Files of the current folder are not read: only the user's own.
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
