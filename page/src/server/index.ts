export { help, main } from './command.ts';
export { servePage } from './serve-page.ts';
export type { ServedPage, ServePageOptions } from './serve-page.ts';
export type { SocketLimits } from './sockets.ts';
