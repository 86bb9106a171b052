import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isCallExpression, isFunctionDeclaration, isIdentifier, isImportDeclaration, isImportSpecifier, isNamedImports, isNewExpression, isNoSubstitutionTemplateLiteral,
  isNumericLiteral, isObjectLiteralExpression, isPropertyAccessExpression, isPropertyAssignment, isShorthandPropertyAssignment, isStringLiteral,
} from 'typescript/unstable/ast/is';
import { readParsed } from '../parsed-files.ts';

// Finds where a program begins to listen, by its syntax: what makes a server, what takes over its connections, what a
// runtime serves.

export const top: string = fileURLToPath(new URL('../../../', import.meta.url));

/** Where a file listens without the guard, and how. */
export interface Fault {
  readonly file: string;
  readonly what: string;
}

export interface Found {
  /** Files that listen on a port. */
  readonly listening: readonly string[];
  readonly faults: readonly Fault[];
}

/** What makes a server, in Node and in the packages that are used. */
const makers: readonly string[] = ['createServer', 'createSecureServer', 'createSocket', 'Http2SecureServer'];
/** Classes of which a `new` one listens. */
const classes: readonly string[] = ['Server', 'WebSocketServer', 'SecureServer'];
/** What the runtimes beside Node call it. */
const runtimes: Readonly<Record<string, RegExp>> = { Deno: /^(serve|listen|serveHttp)/, Bun: /^(serve|listen)/, Bare: /^(serve|listen)/ };
/** Events of a server that hand over a request or a connection. */
const takers: readonly string[] = ['request', 'upgrade', 'connect', 'checkContinue', 'checkExpectation', 'stream', 'session'];
/** What puts the guard before what listens; where it may come from. */
const guards: Readonly<Record<string, RegExp>> = {
  guarded: /\/node\/(index|internal-exports|guarded)\.ts$|^\.\/guarded\.ts$|^barewire\/http$/, guardedUpgrade: /\/node\/(index|guarded)\.ts$|^barewire\/http$/,
  listenerOf: /^\.\/listener\.ts$/,
};

/**
 * Files that make servers of their own for what has the guard inside: every request goes to an `Endpoint` of `serveHttp`.
 * test/listeners/guarded.test.ts asks each of them.
 */
const engines: readonly string[] = ['src/transport/http1/node/engine.ts'];

/** Files that listen at a socket file or a named pipe, which its permissions guard: no page reaches it. test/transport/socket.test.ts. */
const byPermission: readonly string[] = ['src/transport/socket/node/serve.ts', 'src/judge/node/hidden-pipe.ts'];

/** The sources of the project: what is published, the page, the integrations, the page's example, what runs it all. */
export const sources = (): string[] => ['src', 'page', 'integrations', 'examples/page', 'scripts'].flatMap(filesIn).filter((file) => /\.([mc]?[jt]s|[jt]sx)$/.test(file)).sort();

const filesIn = (folder: string): string[] => readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
  const path = `${folder}/${entry.name}`;
  if (!entry.isDirectory()) return [path];
  return /^(node_modules|dist|test)$/.test(entry.name) ? [] : filesIn(path);
});

/** Looks at these files, by their paths below `folder`. */
export function listenersIn(files: readonly string[], folder: string = top): Found {
  const listening: string[] = [];
  const faults = readParsed(folder, files, (source, file) => {
    const seen = look(source);
    if (byPermission.includes(file)) return [];
    if (seen.listens) listening.push(file);
    return engines.includes(file) ? [] : seen.faults.map((what) => ({ file, what }));
  });
  return { listening, faults };
}

const isText = (node: Node): node is Node & { readonly text: string } => isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node);

/** Names that a file imports as they are called there, and from where. */
function importsOf(source: SourceFile): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of source.statements) {
    if (!isImportDeclaration(statement) || !isText(statement.moduleSpecifier)) continue;
    const named = statement.importClause?.namedBindings;
    if (!named || !isNamedImports(named)) continue;
    for (const { name, propertyName } of named.elements) {
      if (propertyName === undefined) found.set(name.text, statement.moduleSpecifier.text);
    }
  }
  return found;
}

function look(source: SourceFile): { listens: boolean; faults: string[] } {
  const imports = importsOf(source);
  const faults: string[] = [];
  let listens = false;
  // A function of the project may have the name of one of Node's. What listens within it is found there.
  const own = new Set<string>();
  for (const [name, from] of imports) if (from.startsWith('.')) own.add(name);
  for (const statement of source.statements) if (isFunctionDeclaration(statement) && statement.name) own.add(statement.name.text);
  const isGuarded = (node: Node | undefined): boolean => {
    if (!node || !isCallExpression(node) || !isIdentifier(node.expression)) return false;
    const { text } = node.expression;
    return Object.hasOwn(guards, text) && guards[text]?.test(imports.get(text) ?? '') === true;
  };
  const fault = (node: Node): void => void faults.push(`${lineOf(source, node)}: ${node.getText(source).slice(0, 80)}`);
  const text = (node: Node): string | undefined => (isIdentifier(node) || isText(node) ? node.text : undefined);

  function visit(node: Node, parent: Node): void {
    const name = text(node);
    if (name !== undefined && makers.includes(name) && !own.has(name)) {
      if (isImportSpecifier(parent)) {
        // Under another name it would not be found again.
        if (parent.propertyName !== undefined) fault(parent);
      } else {
        listens = true;
        // Called at once, by its own name, with what is guarded: anything else leads where this does not see.
        if (!isCallExpression(parent) || parent.expression !== node || !isGuarded(parent.arguments[0])) fault(parent);
      }
    }
    if (isNewExpression(node)) {
      const made = isPropertyAccessExpression(node.expression) ? node.expression.name.text : text(node.expression);
      if (made !== undefined && classes.includes(made) && !takesNoPort(node.arguments?.[0])) fault(node);
    }
    if (isPropertyAccessExpression(node) && isIdentifier(node.expression)) {
      const verbs = runtimes[node.expression.text];
      if (verbs?.test(node.name.text) === true) fault(node);
    }
    if (isCallExpression(node)) visitCall(node);
    node.forEachChild((child) => visit(child, node));
  }

  function visitCall(node: Node & { readonly expression: Node; readonly arguments: readonly Node[] }): void {
    const called = isPropertyAccessExpression(node.expression) ? node.expression.name.text : text(node.expression);
    const [first, second] = node.arguments;
    const event = first && isText(first) ? first.text : undefined;
    if (/^(on|once|addListener|prependListener|prependOnceListener)$/.test(called ?? '') && event !== undefined && takers.includes(event)
      && (event !== 'connect' || imports.has('createServer')) && !isGuarded(second)) fault(node);
    if (called === 'addEventListener' && event === 'fetch') fault(node);
    // A server that came from elsewhere: an application of a framework.
    if (called === 'listen' && namesPort(first) && !imports.has('createServer')) fault(node);
  }

  source.forEachChild((child) => visit(child, source));
  return { listens: listens || faults.length > 0, faults };
}

const lineOf = (source: SourceFile, node: Node): number => source.text.slice(0, node.getStart(source)).split('\n').length;

/** `{ noServer: true }`: a server that is handed its sockets. */
const takesNoPort = (options: Node | undefined): boolean => options !== undefined && isObjectLiteralExpression(options)
  && options.properties.some((one) => isPropertyAssignment(one) && one.name.getText() === 'noServer' && one.initializer.kind === SyntaxKind.TrueKeyword);

/** Whether what is given to `listen` is a port: a number, something called so, or options with one. */
const namesPort = (given: Node | undefined): boolean => given !== undefined && (isNumericLiteral(given)
  || (isIdentifier(given) && /port/i.test(given.text)) || (isPropertyAccessExpression(given) && /port/i.test(given.name.text))
  || (isObjectLiteralExpression(given) && given.properties.some((one) =>
    (isPropertyAssignment(one) || isShorthandPropertyAssignment(one)) && /^(port|path|fd)$/.test(one.name.getText()))));
