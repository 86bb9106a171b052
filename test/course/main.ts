import { course } from './course.ts';
import { exam, suite } from './exam.ts';

// npm run course -- CHAPTER "COMMAND"
process.exitCode = await course(process.argv.slice(2), { typed: 'npm run course --', exam: { chapter: exam, suite } });
