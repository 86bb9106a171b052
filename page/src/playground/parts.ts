import type { PageParts } from '../ui/page-parts.ts';
import { late } from '../ui/parts/late.tsx';
import { Questions } from '../ui/questions/questions.tsx';
import { Overview } from '../ui/views/overview.tsx';
import { Tools } from '../ui/views/tools.tsx';
import { WireView } from '../ui/wire/wire-view.tsx';
import { formats } from './formats.ts';

/** What the playground has: what one server in this page needs. What is not needed for a first call is in the file beside it. */
export const playgroundParts: PageParts = {
  formats,
  views: {
    overview: Overview,
    tools: Tools,
    resources: late(async () => (await import('./more.ts')).Resources),
    prompts: late(async () => (await import('./more.ts')).Prompts),
    tasks: late(async () => (await import('./more.ts')).Tasks),
    logs: late(async () => (await import('./more.ts')).Logs),
    doctor: late(async () => (await import('./more.ts')).Doctor),
    judge: late(async () => (await import('./more.ts')).Judge),
  },
  docks: {
    wire: WireView,
    activity: late(async () => (await import('./more.ts')).Activity),
    recordings: late(async () => (await import('./more.ts')).Recordings),
  },
  Questions,
  FailedCall: late(async () => (await import('./more.ts')).FailedCall),
  Share: late(async () => (await import('./more.ts')).Share),
  Palette: late(async () => (await import('./more.ts')).Palette),
  Keys: late(async () => (await import('./more.ts')).Keys),
  ToolChange: late(async () => (await import('./more.ts')).ToolChange),
  Portability: late(async () => (await import('./more.ts')).Portability),
};
