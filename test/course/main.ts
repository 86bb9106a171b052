import { course } from './course.ts';

// npm run course -- CHAPTER "COMMAND"
process.exitCode = await course(process.argv.slice(2), { typed: 'npm run course --', exam: true });
