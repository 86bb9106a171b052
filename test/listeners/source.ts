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

// Finds where a program begins to listen, from the syntax tree: functions that make a server, handlers for its connections, and
// the servers of other runtimes.

export const top: string = fileURLToPath(new URL('../../../', import.meta.url));

/** A place that listens without the guard. */
export interface Fault {
  readonly file: string;
  readonly what: string;
}

export interface Found {
  /** Files that listen on a port. */
  readonly listening: readonly string[];
  readonly faults: readonly Fault[];
}

/** Functions that make a server, in Node and in the packages used here. */
const makers: readonly string[] = ['createServer', 'createSecureServer', 'createSocket', 'Http2SecureServer'];
/** Classes whose instances listen. */
const classes: readonly string[] = ['Server', 'WebSocketServer', 'SecureServer'];
/** The same in runtimes other than Node. */
const runtimes: Readonly<Record<string, RegExp>> = { Deno: /^(serve|listen|serveHttp)/, Bun: /^(serve|listen)/, Bare: /^(serve|listen)/ };
/** Server events that deliver a request or a connection. */
const takers: readonly string[] = ['request', 'upgrade', 'connect', 'checkContinue', 'checkExpectation', 'stream', 'session'];
/** Functions that add the guard, and the modules that they must come from. */
const guards: Readonly<Record<string, RegExp>> = {
  guarded: /\/node\/(index|internal-exports|guarded)\.ts$|^\.\/guarded\.ts$|^barewire\/http$/, guardedUpgrade: /\/node\/(index|guarded)\.ts$|^barewire\/http$/,
  listenerOf: /^\.\/request-listener\.ts$/,
};

/**
 * Files that make their own servers with the guard inside: every request goes to an `Endpoint` of `serveHttp`.
 * test/listeners/guarded.test.ts tests each.
 */
const engines: readonly string[] = ['src/transport/http1/node/engine.ts'];

/**
 * Files that listen on a socket file or a named pipe, protected by its permissions: no web page reaches it.
 * test/transport/socket.test.ts.
 */
const byPermission: readonly string[] = ['src/transport/socket/node/serve.ts', 'src/judge/node/hidden-pipe.ts'];

/** The sources of the project: the package, the page, the integrations, the example for pages, and the scripts. */
export const sources = (): string[] => ['src', 'page', 'integrations', 'examples/page', 'scripts'].flatMap(filesIn).filter((file) => /\.([mc]?[jt]s|[jt]sx)$/.test(file)).sort();

const filesIn = (folder: string): string[] => readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
  const path = `${folder}/${entry.name}`;
  if (!entry.isDirectory()) return [path];
  return /^(node_modules|dist|test)$/.test(entry.name) ? [] : filesIn(path);
});

/** Checks files, given by their paths below `folder`. */
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

/** The imported names of a file and their modules. */
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
  // A function of the project may have the name of a Node function. A listener inside it is found there.
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
        // A renamed import would escape the search.
        if (parent.propertyName !== undefined) fault(parent);
      } else {
        listens = true;
        // It must be called directly, by its own name, with a guarded handler: this search follows nothing else.
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
    // A server from elsewhere: an application of a framework.
    if (called === 'listen' && namesPort(first) && !imports.has('createServer')) fault(node);
  }

  source.forEachChild((child) => visit(child, source));
  return { listens: listens || faults.length > 0, faults };
}

const lineOf = (source: SourceFile, node: Node): number => source.text.slice(0, node.getStart(source)).split('\n').length;

/** `{ noServer: true }`: a server that receives its sockets from outside. */
const takesNoPort = (options: Node | undefined): boolean => options !== undefined && isObjectLiteralExpression(options)
  && options.properties.some((one) => isPropertyAssignment(one) && one.name.getText() === 'noServer' && one.initializer.kind === SyntaxKind.TrueKeyword);

/** True if the argument of `listen` is a port: a number, a name with `port`, or options with one. */
const namesPort = (given: Node | undefined): boolean => given !== undefined && (isNumericLiteral(given)
  || (isIdentifier(given) && /port/i.test(given.text)) || (isPropertyAccessExpression(given) && /port/i.test(given.name.text))
  || (isObjectLiteralExpression(given) && given.properties.some((one) =>
    (isPropertyAssignment(one) || isShorthandPropertyAssignment(one)) && /^(port|path|fd)$/.test(one.name.getText()))));
