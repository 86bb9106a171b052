export { PageError } from './failure.ts';
export type { PageErrorCode } from './failure.ts';
export { defaultPageHostLimits } from './options.ts';
export type { Login, OpenHooks, PageHostLimits, PageHostOptions, Saving } from './options.ts';
export { localActions } from './local-actions.ts';
export { PageHost } from './page-host.ts';
export { Tasks } from './tasks.ts';
export { openTab } from './tab.ts';
export type { Tab } from './tab.ts';
