import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { faultsOf, mcpbManifest, serverJson } from './manifest.ts';
import { packageOf } from './package-json.ts';
import { runningServer } from './running.ts';
import { zip } from './zip.ts';

/** The options of `pack`. */
export interface PackOptions {
  /** The output folder. Default: `dist-pack`. */
  readonly out?: string;
  /** The download URL of the bundle; then server.json has it, with the hash. */
  readonly mcpbUrl?: string;
}

/** A written file. */
export interface PackedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Packs a server over stdio: one .mjs, an .mcpb bundle and, where its package.json has `mcpName`, a server.json for the registry.
 * The packed file is started and queried; if it does not answer, or the registry or a host would refuse it, nothing is written,
 * and the call rejects with all reasons.
 */
export async function pack(entry: string, { out = 'dist-pack', mcpbUrl }: PackOptions = {}): Promise<PackedFile[]> {
  const described = packageOf(entry);
  const code = Buffer.from(await bundle(entry));
  const folder = mkdtempSync(join(tmpdir(), 'barewire-pack-'));
  try {
    const tried = join(folder, 'server.mjs');
    writeFileSync(tried, code);
    const running = await runningServer(tried);
    const manifest = json(mcpbManifest(described, running, 'server.mjs'));
    const archive = zip([{ name: 'manifest.json', bytes: manifest }, { name: 'server.mjs', bytes: code }]);
    const download = mcpbUrl === undefined ? undefined : { url: mcpbUrl, sha256: createHash('sha256').update(archive).digest('hex') };
    const faults = faultsOf(described, running, download);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    const name = described.name.replace(/^@/, '').replace(/[^\w.-]/g, '-');
    const files: [string, Uint8Array][] = [[`${name}.mjs`, code], [`${name}.mcpb`, archive]];
    const { mcpName } = described;
    if (mcpName !== undefined) files.push(['server.json', json(serverJson({ ...described, mcpName }, running, download))]);
    mkdirSync(out, { recursive: true });
    return files.map(([file, bytes]) => {
      const path = join(out, file);
      writeFileSync(path, bytes);
      return { path, bytes: bytes.length };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
