import assert from 'node:assert/strict';
import test from 'node:test';
import { quoteForBatch, resolveProgram, taskkill, windowsCommand } from '../../../src/transport/stdio/windows.ts';
import type { WindowsMachine } from '../../../src/transport/stdio/windows.ts';

/** A machine with these files. */
function machine(files: readonly string[], env: Record<string, string> = {}): WindowsMachine {
  const known = new Set(files.map((file) => file.toLowerCase()));
  return {
    env: { Path: 'C:\\Windows\\System32;"C:\\Program Files\\nodejs\\";;relative;D:\\tools', SystemRoot: 'C:\\Windows', ...env },
    cwd: 'C:\\work',
    isFile: (path) => known.has(path.toLowerCase()),
  };
}

const node = 'C:\\Program Files\\nodejs\\';

test('windows: a name is resolved by PATH and PATHEXT', () => {
  const files = [
    `${node}node.exe`, `${node}npx`, `${node}npx.cmd`, `${node}both.cmd`, `${node}both.exe`, `${node}dotted.name.bat`,
    'D:\\tools\\script.js', 'D:\\tools\\tool.PY', 'C:\\work\\planted.exe', 'C:\\work\\relative\\planted2.exe', 'C:\\work\\bin\\own.cmd', 'D:\\tools\\plain', `${node}.exe`,
  ];
  const cases: readonly (readonly [command: string, path: string | undefined, env?: Record<string, string>])[] = [
    ['node', `${node}node.EXE`],
    ['node.exe', `${node}node.exe`],
    ['NODE', `${node}NODE.EXE`],
    // Windows cannot run the shell script without an extension.
    ['npx', `${node}npx.CMD`],
    ['npx.cmd', `${node}npx.cmd`],
    // In the order of PATHEXT.
    ['both', `${node}both.EXE`],
    ['both', `${node}both.cmd`, { PATHEXT: '.cmd;.exe' }],
    ['dotted.name', `${node}dotted.name.BAT`],
    ['script', undefined],
    ['script.js', undefined],
    ['tool', 'D:\\tools\\tool.py', { PathExt: '.exe; .py;;' }],
    ['plain', undefined],
    // For a bare name, neither the working folder nor a relative entry of PATH is searched.
    ['planted', undefined],
    ['planted2', undefined],
    ['.\\planted', 'C:\\work\\planted.EXE'],
    ['bin/own', 'C:\\work\\bin\\own.CMD'],
    ['..\\work\\bin\\own.cmd', 'C:\\work\\bin\\own.cmd'],
    ['C:\\Program Files\\nodejs\\node', `${node}node.EXE`],
    ['none', undefined],
    ['', undefined],
    ['node', undefined, { Path: '' }],
  ];
  for (const [command, path, env] of cases) assert.equal(resolveProgram(command, machine(files, env)), path, `${command} ${JSON.stringify(env)}`);
});

test('windows: an entry of PATH that is relative or empty is not looked into, and a variable without a value is none', () => {
  const everywhere = { ...machine([]), isFile: (path: string) => path.endsWith('planted.EXE') };
  assert.equal(resolveProgram('planted', { ...everywhere, env: { PATH: 'relative;;.\\here;C:here' } }), undefined);
  assert.equal(resolveProgram('planted', { ...everywhere, env: { PATH: '\\\\host\\share' } }), '\\\\host\\share\\planted.EXE');
  assert.equal(resolveProgram('node', machine([`${node}node.exe`], {})), `${node}node.EXE`);
  assert.equal(resolveProgram('planted', { ...everywhere, env: { PATH: 'C:\\first', Path: undefined } }), 'C:\\first\\planted.EXE');
  // A given variable takes precedence over an inherited one.
  assert.equal(resolveProgram('planted', { ...everywhere, env: { PATH: 'C:\\first', Path: 'C:\\second' } }), 'C:\\second\\planted.EXE');
});

test('windows: arguments of batch files', () => {
  const cases: readonly (readonly [text: string, quoted: string])[] = [
    ['-y', '-y'],
    ['@scope/name@1.2.3', '@scope/name@1.2.3'],
    ['C:\\a\\b', 'C:\\a\\b'],
    ['', '""'],
    ['a b', '"a b"'],
    ['C:\\a\\', '"C:\\a\\\\"'],
    ['a"b', '"a""b"'],
    ['a\\"b', '"a\\\\""b"'],
    ['say "hi"', '"say ""hi"""'],
    ['&calc', '"&calc"'],
    ['a|b>c<d^e(f)', '"a|b>c<d^e(f)"'],
    ['"&calc&"', '"""&calc&"""'],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['100%', '"100%%cd:~,%"'],
    ['!x!', '"!x!"'],
    ['a=b,c;d', '"a=b,c;d"'],
    ['ü', '"ü"'],
  ];
  for (const [text, quoted] of cases) assert.equal(quoteForBatch(text), quoted, text);
  for (const text of ['a\nb', 'a\rb', 'a\0b']) assert.throws(() => quoteForBatch(text), /cannot receive/);
});

test('windows: programs are started directly, batch files in cmd.exe', () => {
  const files = [`${node}node.exe`, `${node}npx.cmd`, 'C:\\work\\50%.bat'];
  assert.deepEqual(windowsCommand('node', ['a b', '"'], machine(files)), { command: `${node}node.EXE`, args: ['a b', '"'], verbatim: false });
  assert.deepEqual(windowsCommand('npx', ['-y', 'server', 'a b'], machine(files)), {
    command: 'C:\\Windows\\System32\\cmd.exe',
    args: ['/d', '/e:ON', '/v:OFF', '/s', '/c', '""C:\\Program Files\\nodejs\\npx.CMD" -y server "a b""'],
    verbatim: true,
  });
  assert.equal(windowsCommand('.\\50%', [], machine(files)).args.at(-1), '""C:\\work\\50%%cd:~,%.BAT""');
  // If the program is not found, spawn reports the error.
  assert.deepEqual(windowsCommand('none', ['x'], machine(files)), { command: 'none', args: ['x'], verbatim: false });
  assert.throws(() => windowsCommand('npx', ['a\nb'], machine(files)), /line break/);
  assert.throws(() => windowsCommand('npx', ['x'.repeat(9000)], machine(files)), /the limit of a batch file is 8191/);
  assert.equal(windowsCommand('node', ['a\nb'], machine(files)).verbatim, false);
  assert.deepEqual(taskkill(42, { systemroot: 'D:\\Win' }), { command: 'D:\\Win\\System32\\taskkill.exe', args: ['/pid', '42', '/T', '/F'] });
});

/** Expands variables as cmd.exe does on its command line, with extensions. */
function expand(line: string, env: Record<string, string>): string {
  let out = '';
  for (let at = 0; at < line.length; at++) {
    const end = line[at] === '%' ? line.indexOf('%', at + 1) : -1;
    const name = end > at + 1 ? line.slice(at + 1, end) : undefined;
    const value = name === 'cd:~,' ? '' : name === undefined ? undefined : env[name.toUpperCase()];
    if (value === undefined) out += line[at];
    else {
      out += value;
      at = end;
    }
  }
  return out;
}

/** The text outside quotation marks as cmd.exe sees it: each mark begins or ends a quotation. */
const unquoted = (line: string): string => line.split('"').filter((_, at) => at % 2 === 0).join('');

/** Splits a command line as a program with the C runtime does. */
function readArguments(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let within = false;
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
    if (slashes > 0) {
      const mark = line[at + slashes] === '"';
      word = (word ?? '') + '\\'.repeat(mark ? Math.floor(slashes / 2) : slashes);
      at += slashes - 1;
      if (mark && slashes % 2 === 1) {
        word += '"';
        at += 1;
      }
    } else if (line[at] === '"') {
      word ??= '';
      if (within && line[at + 1] === '"') {
        word += '"';
        at += 1;
      } else within = !within;
    } else if (!within && (line[at] === ' ' || line[at] === '\t')) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? '') + line[at];
  }
  if (word !== undefined) found.push(word);
  return found;
}

test('windows: whatever the arguments are, they arrive as they are and nothing else runs', () => {
  const parts = ['"', '""', '\\', '\\\\', '%', '%%', '%PATH%', '%CD%', '&', '|', '^', '<', '>', '(', ')', '!', ' ', '\t', 'a', 'calc', '=', ',', ';', '*', '?', '\'', 'é', '😀'];
  let seed = 42;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let round = 0; round < 1500; round++) {
    const args = Array.from({ length: 1 + random(3) }, () => Array.from({ length: random(8) }, () => parts[random(parts.length)]).join(''));
    const whole = windowsCommand('npx', args, machine([`${node}npx.cmd`])).args.at(-1) ?? '';
    // /s removes the outermost quotation marks.
    const line = expand(whole.slice(1, -1), { PATH: 'C:\\x & calc', CD: 'C:\\"&calc' });
    assert.doesNotMatch(unquoted(line), /[&|<>^()%!=,;*?]/, JSON.stringify(args));
    assert.deepEqual(readArguments(line).slice(1), args, line);
  }
});
