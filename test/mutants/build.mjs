// Builds the mutated sources in Stryker's copy of the tree: build.mjs TOP.
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';

symlinkSync(`${process.argv[2]}node_modules`, 'node_modules');
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noCheck', '--declaration', 'false', '--isolatedDeclarations', 'false'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
