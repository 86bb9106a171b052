// Runs a bundled exercise in a process with restricted permissions: run-plain.mjs BUNDLE FOLDER.
const bundle = await import(`file://${process.argv[2]}`);
if (process.argv[3] === '--serve') await bundle.serve();
else await bundle.run({ Request, Response, folder: process.argv[3], self: process.argv[2], node: process.execPath, flags: JSON.parse(process.argv[4] ?? '[]') });
process.exit(0);
