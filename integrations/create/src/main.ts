#!/usr/bin/env node
// npm create barewire FOLDER -- [--template NAME] [--barewire SPEC] [--no-install]
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { create } from './create.ts';
import { templates } from './templates.ts';

const usage = `npm create barewire FOLDER -- [--template NAME] [--barewire VERSION] [--no-install]

Makes a project in FOLDER, which must be empty or missing, and installs what it needs. Templates:

${Object.entries(templates).map(([name, what]) => `  ${name.padEnd(8)} ${what}`).join('\n')}

The default is server.`;

try {
  const { values, positionals: [folder, ...more] } = parseArgs({
    allowPositionals: true,
    options: {
      template: { type: 'string', default: 'server' }, barewire: { type: 'string', default: '^0.5.0' },
      'no-install': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) console.log(usage);
  else if (folder === undefined || more.length > 0) throw new Error(usage);
  else {
    const { template, barewire } = values;
    await create(folder, { template, barewire });
    console.log(`${folder}: ${templates[template]}`);
    if (!values['no-install']) {
      const { status } = spawnSync('npm', ['install', '--no-fund', '--no-audit'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
      if (status !== 0) throw new Error('npm install failed; the project is there');
    }
    console.log(`\n  cd ${folder}\n${values['no-install'] ? '  npm install\n' : ''}  npm test`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
