// The TypeScript of a document, as programs. Hidden comments directly above a snippet give its context:
//
//   <!-- given: … -->   code that before it
//   <!-- then: … -->    code that after it
//   <!-- run: … -->     the snippet runs, and must print these lines; `<!-- run -->` prints nothing

/** One snippet of a document. */
export interface Snippet {
  /** `FILE:LINE` of its first line of code, from 1, such as `README.md:12`. */
  readonly place: string;
  /** The complete module. */
  readonly program: string;
  /** Expected output, trimmed; undefined: not run. */
  readonly prints: string | undefined;
}

/** Reads the `ts` snippets of a document. Throws for a hidden comment without a snippet. */
export function snippetsOf(name: string, text: string): Snippet[] {
  const snippets: Snippet[] = [];
  let given = '';
  let then = '';
  let prints: string | undefined;
  let open = false;
  const block = /<!-- (given|then|run)(?::\s*([^]*?))? ?-->|^```(\w*)[^\n]*\n([^]*?)^```$/gm;
  for (const found of text.matchAll(block)) {
    const [, kind, said = '', language, code = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    if (kind !== undefined) {
      open = true;
      if (kind === 'given') given = said;
      else if (kind === 'then') then = said;
      else prints = said.trim();
      continue;
    }
    if (language === 'ts') {
      // A file without an import or an export is not a module, and would share its names with others.
      snippets.push({ place: `${name}:${line + 1}`, program: `export {};\n${given}\n${code}\n${then}\n`, prints });
    } else if (open) throw new Error(`${name}:${line}: a comment belongs to a block that is no TypeScript`);
    given = then = '';
    prints = undefined;
    open = false;
  }
  if (open) throw new Error(`${name}: a comment belongs to no snippet`);
  return snippets;
}

/** The anchors of the document's headings. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)) {
    anchors.add(heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
  }
  return anchors;
}

/** The targets of the document's links within the repository. */
export function linksOf(text: string): string[] {
  return [...withoutCode(text).replace(/`[^`\n]+`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, '');

/** The TypeScript project for the snippets; `root`: where Node's types are installed. */
export const projectOf = (root: string): object => ({
  compilerOptions: {
    target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true,
    lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'], typeRoots: [`${root}/node_modules/@types`],
    skipLibCheck: true, outDir: 'out', rootDir: '.',
  },
  include: ['*.ts'],
});
