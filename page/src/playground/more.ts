// What a first call does not need, of the page and of its worker. The build leads every dynamic import of the playground here but
// that of the page itself, so that all of it is one file beside playground.html.
export { examine } from '../host/examining.ts';
export { judge } from '../host/judging.ts';
export { openFile } from '../host/opened-files.ts';
export { playAgainst } from '../host/replaying.ts';
export { shared } from '../host/sharing.ts';
export { compareTranscripts, parseTranscript } from '../host/transcripts.ts';
export { Approval, Change } from '../ui/questions/approval.tsx';
export { SamplingAnswer, SamplingRequest } from '../ui/questions/sampling.tsx';
export { Keys } from '../ui/keys.tsx';
export { Palette } from '../ui/palette.tsx';
export { Activity } from '../ui/views/activity.tsx';
export { Doctor } from '../ui/views/doctor.tsx';
export { FailedCall } from '../ui/views/failed-call.tsx';
export { Judge } from '../ui/views/judge.tsx';
export { Logs } from '../ui/views/logs.tsx';
export { Portability } from '../ui/views/portability.tsx';
export { Prompts } from '../ui/views/prompts.tsx';
export { Recordings } from '../ui/views/recordings.tsx';
export { Resources } from '../ui/views/resources.tsx';
export { Tasks } from '../ui/views/tasks.tsx';
export { ToolChange } from '../ui/views/tool-change.tsx';
export { Sender } from '../ui/wire/sender.tsx';
export { Share } from '../ui/wire/share.tsx';
export { Steps } from '../ui/wire/steps.tsx';
export { WireDetail } from '../ui/wire/wire-detail.tsx';
export { judgeServer } from 'barewire/judge';
