// barewire/doctor and /host with /server and /memory: a catalogue, a rule, a refusal, a verified log.
import { diagnose } from 'barewire/doctor';
import { Host, memoryLog } from 'barewire/host';
import { memoryTransport } from 'barewire/memory';
import { McpServer } from 'barewire/server';

export async function run() {
  const files = new McpServer({ name: 'files', version: '1' });
  files.tool('read_file', {}, () => 'text');
  files.tool('write_file', {}, () => 'written');
  const host = new Host({
    info: { name: 'exercise', version: '1' }, servers: { files: { command: 'none' } }, transport: () => memoryTransport(files),
    rules: [{ server: 'files', tool: 'read_*', then: 'allow' }], person: { approve: async () => ({ allow: false, reason: 'no' }) },
    log: memoryLog(),
  });
  if ((await host.call('files/read_file', {})).content[0].text !== 'text') throw new Error('another text');
  const refused = await host.call('files/write_file', {}).then(() => undefined, (error) => error.code);
  if (refused !== 'refused') throw new Error(`not refused: ${refused}`);
  await host.close();
  const { findings } = await diagnose({ name: 'files', open: (trace) => memoryTransport(files, { trace }) });
  if (findings.some(({ severity }) => severity === 'error')) throw new Error(JSON.stringify(findings));
}
