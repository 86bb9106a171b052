import { build } from 'esbuild';

/**
 * Bundles a server and all its imports as one minified module for Node 20 and later. Rejects if a module is missing, or cannot be
 * bundled (a native addon).
 */
export async function bundle(entry: string): Promise<string> {
  const { outputFiles: [file] } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    keepNames: false,
    legalComments: 'eof',
    write: false,
    logLevel: 'silent',
    // Unused imports in the published files of barewire.
    logOverride: { 'ignored-bare-import': 'silent' },
  }).catch((error: { errors?: { text: string; location?: { file: string; line: number } | null }[] }) => {
    const said = error.errors?.map(({ text, location }) => (location ? `${location.file}:${location.line}: ${text}` : text));
    throw new Error(`${entry} cannot be bundled: ${said?.join('; ') ?? String(error)}`);
  });
  if (file === undefined) throw new Error(`${entry} makes no file`);
  return file.text;
}
