import type { PackageJson } from './package-json.ts';
import type { RunningServer } from './running.ts';

/** The `manifest.json` of an .mcpb bundle, version 0.3 of the format, with the tools that the server listed. */
export function mcpbManifest(described: PackageJson, running: RunningServer, entry: string): Record<string, unknown> {
  const { name, version, description, author, license, homepage, repository } = described;
  return {
    manifest_version: '0.3',
    name,
    ...running.title !== undefined && { display_name: running.title },
    version,
    description,
    author: { name: author },
    ...license !== undefined && { license },
    ...homepage !== undefined && { homepage },
    ...repository !== undefined && { repository: { type: 'git', url: webAddress(repository) } },
    server: { type: 'node', entry_point: entry, mcp_config: { command: 'node', args: [`\${__dirname}/${entry}`] } },
    ...running.tools.length > 0 && { tools: running.tools },
    ...running.prompts.length > 0 && { prompts_generated: true },
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20.0.0' } },
  };
}

/** The download of a bundle, for its registry entry. */
export interface Download {
  readonly url: string;
  readonly sha256: string;
}

/** The registry's `server.json`, schema of 2025-12-11: the package on npm, and the bundle if it can be downloaded. */
export function serverJson(described: PackageJson & { readonly mcpName: string }, running: RunningServer, download?: Download): Record<string, unknown> {
  const { name, version, description, mcpName, repository, homepage } = described;
  const transport = { type: 'stdio' };
  const source = repository === undefined ? undefined : /^https:\/\/(?:www\.)?(github|gitlab)\.com\//.exec(webAddress(repository))?.[1];
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    ...running.title !== undefined && { title: running.title },
    description,
    version,
    ...repository !== undefined && source !== undefined && { repository: { url: webAddress(repository), source } },
    ...homepage !== undefined && { websiteUrl: homepage },
    packages: [
      { registryType: 'npm', identifier: name, version, transport },
      ...download ? [{ registryType: 'mcpb', identifier: download.url, fileSha256: download.sha256, transport }] : [],
    ],
  };
}

/** The reasons why the registry, or a host that installs the bundle, would refuse it; none: it may be published. */
export function faultsOf(described: PackageJson, running: RunningServer, download?: Download): string[] {
  const { version, description, mcpName } = described;
  const faults: string[] = [];
  if (running.version !== version) faults.push(`the server says that its version is ${running.version}, and package.json says ${version}`);
  if (!/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(version) || version.length > 255) faults.push(`version: ${version} is not one version, such as 1.2.3`);
  if (running.tools.length + running.prompts.length === 0) faults.push('the server lists neither tools nor prompts without arguments and environment');
  if (mcpName !== undefined) {
    if (!/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(mcpName) || mcpName.length < 3 || mcpName.length > 200) {
      faults.push(`mcpName: ${mcpName} is not a domain turned around, a slash and a name, such as io.github.me/sums, of at most 200 characters`);
    }
    if (description.length > 100) faults.push(`description: ${description.length} characters, and the registry takes 100`);
    if ((running.title ?? '').length > 100) faults.push(`the title of the server: ${running.title?.length} characters, and the registry takes 100`);
  }
  if (download !== undefined && !/^https:\/\//.test(download.url)) faults.push(`the address of the bundle is not https: ${download.url}`);
  return faults;
}

/** Converts `git+https://…/x.git` and `github:me/x` to the URL of a web page. */
function webAddress(repository: string): string {
  const short = /^(?:(github|gitlab):)?([\w.-]+\/[\w.-]+)$/.exec(repository);
  if (short) return `https://${short[1] ?? 'github'}.com/${short[2]}`;
  return repository.replace(/^git\+/, '').replace(/\.git$/, '');
}
