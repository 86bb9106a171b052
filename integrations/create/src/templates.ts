/** The descriptions of the templates, by name. */
export const templates: Readonly<Record<string, string>> = {
  server: 'a server over stdio, with a tool that asks',
  client: 'a client that lists and calls the tools of a program',
  worker: 'a server as a web-standard handler, for workers, Deno and Bun',
  oauth: 'an HTTP server that takes the access tokens of an authorization server',
  tasks: 'a server whose calls go on as tasks, kept in a folder',
};
