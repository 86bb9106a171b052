import type { PageParts } from '../ui/page-parts.ts';
import { Keys } from '../ui/keys.tsx';
import { Palette } from '../ui/palette.tsx';
import { Questions } from '../ui/questions/questions.tsx';
import { Activity } from '../ui/views/activity.tsx';
import { Doctor } from '../ui/views/doctor.tsx';
import { FailedCall } from '../ui/views/failed-call.tsx';
import { Judge } from '../ui/views/judge.tsx';
import { Logs } from '../ui/views/logs.tsx';
import { Overview } from '../ui/views/overview.tsx';
import { Portability } from '../ui/views/portability.tsx';
import { Prompts } from '../ui/views/prompts.tsx';
import { Recordings } from '../ui/views/recordings.tsx';
import { Resources } from '../ui/views/resources.tsx';
import { Tasks } from '../ui/views/tasks.tsx';
import { ToolChange } from '../ui/views/tool-change.tsx';
import { Tools } from '../ui/views/tools.tsx';
import { Share } from '../ui/wire/share.tsx';
import { WireView } from '../ui/wire/wire-view.tsx';
import { formats } from './formats.ts';

/** The parts of the playground: those that one server in this page needs, all in one file. */
export const playgroundParts: PageParts = {
  formats,
  views: { overview: Overview, tools: Tools, resources: Resources, prompts: Prompts, tasks: Tasks, logs: Logs, doctor: Doctor, judge: Judge },
  docks: { wire: WireView, activity: Activity, recordings: Recordings },
  Questions,
  FailedCall,
  Share,
  Palette,
  Keys,
  ToolChange,
  Portability,
};
