// What the types of a tool with 40 properties cost the checker: barewire's FromSchema on an inline JSON
// Schema, beside the same tool with zod and the official SDKs (version 1 and 2), and beside an empty program
// for each one's imports.
//
//   npx tsc && cd bench && npm ci && node validation-types.mjs
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
const properties = Array.from({ length: 40 }, (_, i) => [`p${i}`, ...KINDS[i % KINDS.length], i % 2 === 0]);
const use = properties.map(([name]) => `    void args.${name};`).join('\n');

const withSdk = (wrap) => `import { z } from 'zod';
const server = new McpServer({ name: 's', version: '1' });
server.registerTool('t', {
  inputSchema: ${wrap(`{
${properties.map(([name, , zod, required]) => `    ${name}: ${zod}${required ? '' : '.optional()'},`).join('\n')}
  }`)},
}, (args) => {
${use}
    return { content: [] };
});
`;

const PROGRAMS = {
  'barewire, imports only': `import type { FromSchema } from '../../dist/src/schema/index.js';\nexport type T = FromSchema<true>;\n`,
  'barewire, 40 properties': `import type { FromSchema } from '../../dist/src/schema/index.js';
declare function tool<const S>(name: string, definition: { input: S }, run: (args: FromSchema<S>) => string): void;
tool('t', {
  input: {
    type: 'object',
    properties: {
${properties.map(([name, schema]) => `      ${name}: ${schema},`).join('\n')}
    },
    required: [${properties.filter((p) => p[3]).map(([name]) => `'${name}'`)}],
  },
}, (args) => {
${use}
    return '';
});
`,
  'zod and the SDK 1, imports only': `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
void [McpServer, z];
`,
  'zod and the SDK 1, 40 properties': `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
${withSdk((shape) => shape)}`,
  'zod and the SDK 2, imports only': `import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
void [McpServer, z];
`,
  'zod and the SDK 2, 40 properties': `import { McpServer } from '@modelcontextprotocol/server';
${withSdk((shape) => `z.object(${shape})`)}`,
};

/** Checks each program some times, and gives the checker's own figures: medians of the times. */
export function measureTypes(rounds = 5) {
  const folder = mkdtempSync(join(here, 'types-'));
  try {
    return Object.entries(PROGRAMS).map(([name, source], i) => {
      const file = join(folder, `program${i}.ts`);
      writeFileSync(file, source);
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`${'program'.padEnd(32)}    types  instantiations  check ms  total ms  memory MB`);
  for (const row of measureTypes()) {
    console.log(
      row.name.padEnd(32),
      String(row.types).padStart(8),
      String(row.instantiations).padStart(15),
      row.checkMs.toFixed(0).padStart(9),
      row.totalMs.toFixed(0).padStart(9),
      row.memoryMb.toFixed(0).padStart(10),
    );
  }
}
