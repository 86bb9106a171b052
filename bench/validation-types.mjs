// The cost of tool types for the checker: a project of 200 tools with 8 properties each, with barewire's FromSchema on inline
// JSON Schemas, with zod schemas as Standard Schemas, and with zod in the official SDKs (version 1 and 2). The imports have a
// separate row, because a program pays for them once.
//
//   npm run build && cd bench && npm ci && node validation-types.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');

const KINDS = [
  ["{ type: 'string', minLength: 1 }", 'z.string().min(1)'],
  ["{ type: 'integer', minimum: 0 }", 'z.number().int().min(0)'],
  ["{ type: 'boolean' }", 'z.boolean()'],
  ["{ enum: ['a', 'b', 'c'] }", "z.enum(['a', 'b', 'c'])"],
  ["{ type: 'array', items: { type: 'string' } }", 'z.array(z.string())'],
  [
    "{ type: 'object', properties: { x: { type: 'number' }, y: { type: 'string' } }, required: ['x'] }",
    'z.object({ x: z.number(), y: z.string().optional() })',
  ],
  ["{ anyOf: [{ type: 'string' }, { type: 'number' }] }", 'z.union([z.string(), z.number()])'],
  ["{ type: ['string', 'null'] }", 'z.string().nullable()'],
];
const TOOLS = 200;
const properties = KINDS.map(([schema, zod], i) => [`p${i}`, schema, zod, i % 2 === 0]);
const use = properties.map(([name]) => `  void args.${name};`).join('\n');

const tools = (register) => Array.from({ length: TOOLS }, (_, i) => register(`tool${i}`)).join('\n');

const jsonSchema = `{
  type: 'object',
  properties: { ${properties.map(([name, schema]) => `${name}: ${schema}`).join(', ')} },
  required: [${properties.filter(([, , , required]) => required).map(([name]) => `'${name}'`)}],
}`;
const shape = `{ ${properties.map(([name, , zod, required]) => `${name}: ${zod}${required ? '' : '.optional()'}`).join(', ')} }`;

const BAREWIRE = "import { McpServer } from '../../dist/src/server/index.js';";
const SDK_1 = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';";
const SDK_2 = "import { McpServer } from '@modelcontextprotocol/server';";
const ZOD = "import { z } from 'zod';";
const server = "const server = new McpServer({ name: 's', version: '1' });";

const withBarewire = (schema) => tools((name) => `server.tool('${name}', { input: ${schema} }, (args) => {\n${use}\n  return '';\n});`);
const withSdk = (schema) => tools((name) => `server.registerTool('${name}', { inputSchema: ${schema} }, (args) => {\n${use}\n  return { content: [] };\n});`);

const PROGRAMS = {
  'barewire, imports': [BAREWIRE, server, 'void server;'],
  'barewire, JSON Schema': [BAREWIRE, server, withBarewire(jsonSchema)],
  'barewire and zod, imports': [BAREWIRE, ZOD, server, 'void [server, z];'],
  'barewire and zod': [BAREWIRE, ZOD, server, withBarewire(`z.object(${shape})`)],
  'SDK 1 and zod, imports': [SDK_1, ZOD, server, 'void [server, z];'],
  'SDK 1 and zod': [SDK_1, ZOD, server, withSdk(shape)],
  'SDK 2 and zod, imports': [SDK_2, ZOD, server, 'void [server, z];'],
  'SDK 2 and zod': [SDK_2, ZOD, server, withSdk(`z.object(${shape})`)],
};

/** Checks each program several times; returns the checker's own figures, with the median of the times. */
export function measureTypes(rounds = 3) {
  const folder = mkdtempSync(join(here, 'types-'));
  try {
    return Object.entries(PROGRAMS).map(([name, lines], i) => {
      const file = join(folder, `program${i}.ts`);
      writeFileSync(file, lines.join('\n'));
      writeFileSync(
        join(folder, `tsconfig${i}.json`),
        JSON.stringify({
          extends: join(root, 'tsconfig.json'),
          compilerOptions: {
            noEmit: true,
            rootDir: '/',
            isolatedDeclarations: false,
            types: ['node'],
            typeRoots: [join(root, 'node_modules/@types')],
          },
          files: [file],
          include: [],
        }),
      );
      const runs = Array.from({ length: rounds }, () => {
        const tsc = join(root, 'node_modules/typescript/bin/tsc');
        const text = execFileSync(
          process.execPath,
          [tsc, '-p', join(folder, `tsconfig${i}.json`), '--extendedDiagnostics'],
          { encoding: 'utf8' },
        );
        const figure = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(text)?.[1]);
        return {
          types: figure('Types'),
          instantiations: figure('Instantiations'),
          checkMs: figure('Check time') * 1000,
          totalMs: figure('Total time') * 1000,
          memoryMb: figure('Memory used') / 1024,
        };
      });
      const median = (key) => runs.map((run) => run[key]).sort((a, b) => a - b)[rounds >> 1];
      return {
        name,
        types: median('types'),
        instantiations: median('instantiations'),
        checkMs: median('checkMs'),
        totalMs: median('totalMs'),
        memoryMb: median('memoryMb'),
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The figures as text, one row per program. */
export function typesTable(rows) {
  const line = (cells) => cells.map((cell, i) => i === 0 ? cell.padEnd(26) : cell.padStart(15)).join(' ');
  return [
    line([`tsc, ${TOOLS} tools`, 'types', 'instantiations', 'check ms', 'total ms', 'memory MB']),
    ...rows.map(({ name, types, instantiations, checkMs, totalMs, memoryMb }) =>
      line([name, ...[types, instantiations, checkMs, totalMs, memoryMb].map((figure) => figure.toFixed(0))])),
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(typesTable(measureTypes()));
