// What can be broken in a piece of code: one statement, condition, member or value at a time.
import { enclosing, walk } from './syntax.mjs';

const brief = (text) => {
  const one = text.replace(/\s+/g, ' ');
  return one.length > 110 ? `${one.slice(0, 107)}...` : one;
};

const comparisons = { '===': '!==', '!==': '===', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

/**
 * The changes of the code in `ranges`, as { start, end, replacement, words, symbol, rank }. A low rank is a change of one
 * decision or statement, a high rank one of what a function returns. Texts of messages are left alone.
 */
export function changesOf(tree, text, ranges) {
  const changes = [];
  walk(tree, (node, parents) => {
    if (!ranges.some(({ start, end }) => start <= node.start && node.end <= end)) return;
    const parent = parents.at(-1);
    const add = (place, replacement, words, rank) => {
      changes.push({ start: place.start, end: place.end, replacement, words, rank, symbol: enclosing([...parents, node]) });
    };
    const code = (place) => `\`${brief(text.slice(place.start, place.end))}\``;
    switch (node.type) {
      case 'ExpressionStatement':
        if (node.directive === undefined && node.expression.callee?.type !== 'Super') add(node, ';', `dropped: ${code(node)}`, 1);
        break;
      case 'ThrowStatement':
        add(node, ';', `dropped: ${code(node)}`, 1);
        break;
      case 'IfStatement':
        add(node.test, '(false)', `never so: if (${code(node.test)})`, 1);
        add(node.test, '(true)', `always so: if (${code(node.test)})`, 1);
        break;
      case 'ConditionalExpression':
        add(node.test, '(false)', `never so: ${code(node.test)} ? …`, 2);
        add(node.test, '(true)', `always so: ${code(node.test)} ? …`, 2);
        break;
      case 'LogicalExpression':
        add(node, `(${text.slice(node.right.start, node.right.end)})`, `dropped from ${code(node)}: ${code(node.left)}`, 1);
        add(node, `(${text.slice(node.left.start, node.left.end)})`, `dropped from ${code(node)}: ${code(node.right)}`, 1);
        break;
      case 'BinaryExpression':
        if (comparisons[node.operator]) {
          add(node, `(${text.slice(node.left.start, node.left.end)} ${comparisons[node.operator]} ${text.slice(node.right.start, node.right.end)})`,
            `${code(node)} with ${comparisons[node.operator]}`, 2);
        }
        break;
      case 'UnaryExpression':
        if (node.operator === '!') add(node, `(${text.slice(node.argument.start, node.argument.end)})`, `not negated: ${code(node)}`, 2);
        break;
      case 'Property':
      case 'SpreadElement':
        if (parent.type === 'ObjectExpression') {
          const after = /^\s*,/.exec(text.slice(node.end));
          add({ start: node.start, end: node.end + (after ? after[0].length : 0) }, '', `dropped: the member ${code(node)}`, 2);
        }
        break;
      case 'ReturnStatement':
        if (node.argument) add(node, 'return undefined;', `nothing returned instead of ${code(node.argument)}`, 3);
        break;
      case 'ArrowFunctionExpression':
        if (node.expression) add(node.body, '(undefined)', `nothing returned instead of ${code(node.body)}`, 3);
        break;
      case 'Literal': {
        if (['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent.type) && parent.key === node) break;
        if (parent.type.startsWith('Import') || parent.type.startsWith('Export')) break;
        if (node.regex) add(node, '/(?!)/', `matches nothing: ${code(node)}`, 2);
        else if (typeof node.value === 'number') add(node, String(node.value + 1), `${code(node)} + 1`, 2);
        else if (typeof node.value === 'boolean') add(node, String(!node.value), `${!node.value} instead of ${node.value} in ${code(parent)}`, 2);
        else if (typeof node.value === 'string' && !/\s/.test(node.value) && !parents.some(({ type }) => type === 'ThrowStatement')) {
          add(node, "'another'", `another text than ${code(node)} in ${code(parent)}`, 2);
        }
        break;
      }
      default:
    }
  });
  return changes;
}
