import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import type { SourceFile } from 'typescript/unstable/ast';

/**
 * Parses files with TypeScript, without types, and collects the results of `look`. `files`: paths below `folder`. Throws if a
 * file was not parsed.
 */
export function readParsed<T>(folder: string, files: readonly string[], look: (source: SourceFile, file: string) => readonly T[]): T[] {
  const own = mkdtempSync(join(tmpdir(), 'barewire-parsed-'));
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      allowJs: true, allowImportingTsExtensions: true, noResolve: true, noLib: true, types: [], jsx: 'preserve', module: 'nodenext', target: 'es2022', noEmit: true,
    },
    files: files.map((file) => join(folder, file)),
  }));
  const api = new API({ cwd: own });
  try {
    const [project] = api.updateSnapshot({ openProject: join(own, 'tsconfig.json') }).getProjects();
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(join(folder, file));
      if (!source) throw new Error(`${file} was not parsed`);
      return look(source, file);
    });
  } finally {
    api.close();
    rmSync(own, { recursive: true, force: true });
  }
}
