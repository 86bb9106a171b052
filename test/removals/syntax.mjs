// The syntax tree of a compiled module, and what it declares.
import { parse } from 'acorn';

export const syntaxOf = (text) => parse(text, { ecmaVersion: 'latest', sourceType: 'module' });

/** Calls `visit(node, parents)` for each node, the outer ones first. */
export function walk(node, visit, parents = []) {
  visit(node, parents);
  const within = [...parents, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child.type === 'string') walk(child, visit, within);
    }
  }
}

const nameOf = (key) => (key?.type === 'Identifier' || key?.type === 'PrivateIdentifier' ? key.name : key?.type === 'Literal' ? String(key.value) : undefined);

/** The name that a node declares: of a function, class, variable, method or member. */
function declared(node) {
  switch (node.type) {
    case 'FunctionDeclaration': case 'ClassDeclaration': case 'VariableDeclarator': return nameOf(node.id);
    case 'MethodDefinition': case 'PropertyDefinition': case 'Property': return nameOf(node.key);
    case 'AssignmentExpression': return node.left.type === 'MemberExpression' && node.left.object.type === 'ThisExpression' ? nameOf(node.left.property) : undefined;
    default: return undefined;
  }
}

/** The places of a module that declare a name, as { start, end }; the outermost of those within each other. */
export function declarationsOf(tree, symbol) {
  const found = [];
  walk(tree, (node) => {
    if (declared(node) === symbol && !found.some(({ start, end }) => start <= node.start && node.end <= end)) found.push(node);
  });
  // An assignment to a member counts where nothing else declares it.
  const real = found.filter(({ type }) => type !== 'AssignmentExpression' && type !== 'Property');
  return real.length ? real : found;
}

/** The function, method, class or top-level constant that a place is in. */
export function enclosing(parents) {
  const outer = [...parents].reverse().find(({ type }) => ['FunctionDeclaration', 'MethodDefinition'].includes(type))
    ?? parents.find(({ type }) => ['ClassDeclaration', 'VariableDeclarator'].includes(type));
  return outer ? declared(outer) : undefined;
}
