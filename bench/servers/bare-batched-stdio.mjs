// The bare program, tuned: one write for all requests of one chunk.
import { progress, question, result, text } from './bare-answer.mjs';

const waiting = new Map();
let asked = 0;
let head = [];

const json = (id, value) => `${JSON.stringify({ jsonrpc: '2.0', id, result: value })}\n`;

function answer(message) {
  if (message.method === undefined) {
    const id = waiting.get(message.id);
    waiting.delete(message.id);
    return json(id, text(`Hello ${message.result.content.name}`));
  }
  if (message.id === undefined) return '';
  if (message.method === 'tools/call' && message.params.name === 'ask') {
    const id = `ask-${asked++}`;
    waiting.set(id, message.id);
    return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: question })}\n`;
  }
  if (message.method === 'tools/call' && message.params.name === 'progress') {
    let out = '';
    for (let step = 1; step <= 10; step++) {
      out += `${JSON.stringify(progress(message.params._meta.progressToken, step))}\n`;
    }
    return out + json(message.id, text('done'));
  }
  return json(message.id, result(message));
}

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  let out = '';
  let start = 0;
  for (let end; (end = chunk.indexOf('\n', start)) >= 0; start = end + 1) {
    let line = chunk.slice(start, end);
    if (head.length > 0) {
      line = head.join('') + line;
      head = [];
    }
    out += answer(JSON.parse(line));
  }
  if (start < chunk.length) head.push(chunk.slice(start));
  if (out !== '' && !process.stdout.write(out)) {
    process.stdin.pause();
    process.stdout.once('drain', () => process.stdin.resume());
  }
});
