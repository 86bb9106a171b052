// Works on the orders in a folder, until it is killed or its input ends. Any number of workers may run.
//
//   node dist/examples/durable/worker.js FOLDER
import { join } from 'node:path';
import { runTasks } from 'barewire/tasks';
import { folderStore } from 'barewire/tasks/node';
import { createShop } from './shop.ts';

const folder = process.argv[2] ?? '.';
// A short lease, so that the next worker soon takes over. The default is half a minute.
runTasks(createShop(folder), await folderStore(join(folder, 'tasks')), { limits: { leaseMs: 2_000, scanMs: 50 } });
// The parent process has ended.
process.stdin.resume().once('end', () => process.exit());
