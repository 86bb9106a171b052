// The TypeScript of a document, as programs. Hidden comments directly above a snippet say what it takes for granted:
//
//   <!-- given: … -->   code that stands before it
//   <!-- then: … -->    code that stands behind it
//   <!-- run: … -->     it is run as well, and prints these lines; `<!-- run -->` prints nothing

/** One snippet of a document. */
export interface Snippet {
  /** Such as `README.md:12`: the line of its first line of code, counted from 1. */
  readonly place: string;
  /** The whole program: a module. */
  readonly program: string;
  /** What it has to print, without the space around it; undefined: it is not run. */
  readonly prints: string | undefined;
}

/** Reads the snippets of a document that are marked `ts`. Throws for a comment of ours that belongs to no snippet. */
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
      // A file without an import or an export would be no module, and share its names with others.
      snippets.push({ place: `${name}:${line + 1}`, program: `export {};\n${given}\n${code}\n${then}\n`, prints });
    } else if (open) throw new Error(`${name}:${line}: a comment belongs to a block that is no TypeScript`);
    given = then = '';
    prints = undefined;
    open = false;
  }
  if (open) throw new Error(`${name}: a comment belongs to no snippet`);
  return snippets;
}

/** The headings of a document, as the anchors that links name. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)) {
    anchors.add(heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
  }
  return anchors;
}

/** Where the links of a document lead that stay within the repository. */
export function linksOf(text: string): string[] {
  return [...withoutCode(text).replace(/`[^`\n]+`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, '');

/** The TypeScript project in which snippets are compiled; `root`: where the types of Node are installed. */
export const projectOf = (root: string): object => ({
  compilerOptions: {
    target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true,
    lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'], typeRoots: [`${root}/node_modules/@types`],
    skipLibCheck: true, outDir: 'out', rootDir: '.',
  },
  include: ['*.ts'],
});
