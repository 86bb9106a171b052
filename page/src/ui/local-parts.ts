import { formats } from 'barewire/schema';
import type { PageParts } from './page-parts.ts';
import { late } from './parts/late.tsx';
import { Overview } from './views/overview.tsx';
import { WireView } from './wire/wire-view.tsx';

/** The parts of the local server's page: all of them. Those that are not visible at once are loaded at their first use. */
export const localParts: PageParts = {
  formats,
  views: {
    overview: Overview,
    tools: late(async () => (await import('./views/tools.tsx')).Tools),
    resources: late(async () => (await import('./views/resources.tsx')).Resources),
    prompts: late(async () => (await import('./views/prompts.tsx')).Prompts),
    tasks: late(async () => (await import('./views/tasks.tsx')).Tasks),
    logs: late(async () => (await import('./views/logs.tsx')).Logs),
    doctor: late(async () => (await import('./views/doctor.tsx')).Doctor),
    judge: late(async () => (await import('./views/judge.tsx')).Judge),
  },
  docks: {
    wire: WireView,
    activity: late(async () => (await import('./views/activity.tsx')).Activity),
    recordings: late(async () => (await import('./views/recordings.tsx')).Recordings),
  },
  App: late(async () => (await import('./apps/app.tsx')).App),
  Questions: late(async () => (await import('./questions/questions.tsx')).Questions),
  JsonEditor: late(async () => (await import('./form/json-editor.tsx')).JsonEditor),
  Markdown: late(async () => (await import('./parts/markdown.tsx')).Markdown),
  CopyButtons: late(async () => (await import('./wire/copy-buttons.tsx')).CopyButtons),
  FailedCall: late(async () => (await import('./views/failed-call.tsx')).FailedCall),
  Share: late(async () => (await import('./wire/share.tsx')).Share),
  Palette: late(async () => (await import('./palette.tsx')).Palette),
  Keys: late(async () => (await import('./keys.tsx')).Keys),
  AddServer: late(async () => (await import('./views/add-server.tsx')).AddServer),
  SaveServer: late(async () => (await import('./views/save-server.tsx')).SaveServer),
  ImportServers: late(async () => (await import('./views/import-servers.tsx')).ImportServers),
  SavedCalls: late(async () => (await import('./views/saved-calls.tsx')).SavedCalls),
  Eras: late(async () => (await import('./views/eras.tsx')).Eras),
  ToolChange: late(async () => (await import('./views/tool-change.tsx')).ToolChange),
  Portability: late(async () => (await import('./views/portability.tsx')).Portability),
  Credentials: late(async () => (await import('./views/credentials.tsx')).Credentials),
  Login: late(async () => (await import('./views/login.tsx')).Login),
  logIn: async (state, server) => (await import('./views/login.tsx')).logIn(state, server),
};
