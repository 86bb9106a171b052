// workerd: the suite inside the worker, and a client outside that reaches the worker's server over the network.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed, output } from './processes.mjs';

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

export async function workerd(bundles, out) {
  const program = installed('@cloudflare/workerd-linux-64/bin/workerd');
  const version = (await output(program, ['--version'])).trim().replace(/^workerd\s*/, '');
  writeFileSync(join(out, 'config.capnp'), config);
  // workerd reports its free port on the control descriptor.
  const child = spawn(program, ['serve', '--control-fd=3', join(out, 'config.capnp')], { stdio: ['ignore', 'inherit', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr += text; });
  try {
    const port = await new Promise((resolve, reject) => {
      let control = '';
      child.stdio[3].setEncoding('utf8').on('data', (text) => {
        control += text;
        const found = /"event":\s*"listen".*"port":\s*(\d+)/.exec(control);
        if (found) resolve(found[1]);
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`workerd ended with ${code}:\n${stderr}`)));
    });
    const url = `http://127.0.0.1:${port}`;
    const response = await fetch(`${url}/smoke`, { signal: AbortSignal.timeout(60_000) });
    const text = await response.text();
    if (!response.ok) throw new Error(`workerd answered ${response.status}: ${text}\n${stderr}`);
    const outside = JSON.parse(await output(process.execPath, [bundles.process], { SMOKE_URL: `${url}/mcp` }));
    return { title: `workerd ${version}`, cells: [...JSON.parse(text), ...outside] };
  } finally {
    child.kill();
  }
}
