import { readdirSync } from 'node:fs';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { isArrowFunction, isConstructorDeclaration, isFunctionDeclaration, isFunctionExpression, isGetAccessorDeclaration, isMethodDeclaration, isSetAccessorDeclaration, isVariableDeclaration, isPropertyAssignment } from 'typescript/unstable/ast/is';
import { readParsed } from '../parsed-files.ts';

// Finds long functions in the syntax tree.

/** A function; its lines include nested functions. */
export interface LongFunction {
  /** `FILE NAME`. */
  readonly name: string;
  readonly lines: number;
  /** The text after `Long function:` in the comment before it; undefined without one. */
  readonly reason: string | undefined;
}

/** The functions of more than `most` lines in the TypeScript files below `folder`. */
export function longFunctions(folder: string, most: number): LongFunction[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')).filter((file) => file.endsWith('.ts')).sort();
  // A shorter file cannot contain a longer function.
  return readParsed(folder, files, (source, file) => (source.text.split('\n').length > most ? longIn(source, file, most) : []));
}

const isFunction = (node: Node): boolean => isFunctionDeclaration(node) || isFunctionExpression(node) || isArrowFunction(node)
  || isMethodDeclaration(node) || isConstructorDeclaration(node) || isGetAccessorDeclaration(node) || isSetAccessorDeclaration(node);

function longIn(source: SourceFile, file: string, most: number): LongFunction[] {
  const found: LongFunction[] = [];
  const lineOf = (position: number): number => source.text.slice(0, position).split('\n').length;

  function visit(node: Node, above: readonly Node[]): void {
    const lines = isFunction(node) ? source.text.slice(node.getStart(source), node.getEnd()).split('\n').length : 0;
    if (lines > most) {
      // The comment belongs to the statement or member that begins on the function's line.
      const begins = lineOf(node.getStart(source));
      const outer = above.find((parent) => parent.kind !== source.kind && lineOf(parent.getStart(source)) === begins) ?? node;
      const comment = source.text.slice(outer.getFullStart(), outer.getStart(source)).replaceAll(/\s*\n\s*(\*|\/\/)?\s*/g, ' ');
      found.push({ name: `${file} ${nameOf(node, above)}`, lines, reason: /Long function: ([^.]+\.)/.exec(comment)?.[1] });
    }
    node.forEachChild((child) => visit(child, [...above, node]));
  }

  visit(source, []);
  return found;
}

function nameOf(node: Node, above: readonly Node[]): string {
  if (isConstructorDeclaration(node)) return 'constructor';
  const named = [node, above.at(-1)].find((each) => each !== undefined && (isFunctionDeclaration(each) || isMethodDeclaration(each) || isGetAccessorDeclaration(each) || isSetAccessorDeclaration(each)
    || isFunctionExpression(each) || isVariableDeclaration(each) || isPropertyAssignment(each)) && each.name !== undefined);
  return named !== undefined && 'name' in named ? (named.name as Node).getText() : '(no name)';
}
