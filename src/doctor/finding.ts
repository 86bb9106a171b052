/** `error`: clients fail because of it; `warning`: some clients fail, or a rule is broken; `note`: useful to know. */
export type Severity = 'error' | 'warning' | 'note';

/** The codes of findings. Stable. */
export type FindingCode =
  | 'command-not-found' | 'not-executable' | 'start-failed' | 'ended-early' | 'stray-output' | 'no-answer'
  | 'slow-start' | 'does-not-end' | 'name-not-found' | 'connection-refused' | 'connection-lost' | 'connect-timeout'
  | 'tls-failed' | 'wrong-scheme' | 'not-reached' | 'unauthorized' | 'challenge-missing' | 'forbidden'
  | 'wrong-path' | 'redirected' | 'origin-refused' | 'origin-unchecked' | 'content-type-missing'
  | 'content-type-wrong' | 'not-acceptable' | 'body-no-message' | 'server-error' | 'rate-limited' | 'old-transport'
  | 'session-id-odd' | 'session-not-404' | 'version-header-unchecked' | 'notification-status' | 'get-wrong'
  | 'cors-missing' | 'wrong-era' | 'unknown-revision' | 'opening-malformed' | 'opening-refused'
  | 'discover-ends-server' | 'unknown-method-silent' | 'unknown-method-code' | 'ping-unanswered'
  | 'capability-without-method' | 'method-without-capability' | 'list-failed' | 'list-malformed' | 'list-goes-round'
  | 'list-endless' | 'result-type-missing' | 'cache-fields-missing' | 'nothing-offered' | 'duplicate-name'
  | 'name-invalid' | 'name-long' | 'description-missing' | 'schema-missing' | 'schema-not-object' | 'schema-invalid'
  | 'schema-rejected' | 'annotations-contradict' | 'many-tools' | 'uri-invalid' | 'template-invalid'
  | 'prompt-malformed';

/** A request that the doctor sent. */
export interface AskedBy {
  /** The number of the conversation, from 1, in the order in which they are opened. */
  readonly conversation: number;
  /** The id of the request. */
  readonly id: number;
}

/** One problem of a server. */
export interface Finding {
  /** Stable. */
  readonly code: FindingCode;
  /** The severity of the finding. */
  readonly severity: Severity;
  /** The action, the expected and the actual response: one or two sentences. Text from the wire is made visible and cut. */
  readonly what: string;
  /** The section of the specification: `2025-11-25 basic/transports#stdio`. */
  readonly where: string;
  /** The id of the judge's rule about it; undefined without such a rule. */
  readonly rule?: string | undefined;
  /** Advice. */
  readonly todo: string;
  /** The request whose answer, or missing answer, shows the problem; undefined if no single request does. */
  readonly request?: AskedBy | undefined;
}

/** The common facts about all findings with a code. */
export interface Kind {
  /** The severity. */
  readonly severity: Severity;
  /** The section of the specification. */
  readonly where: string;
  /** The id of the judge's rule about it. */
  readonly rule?: string | undefined;
  /** The usual advice. */
  readonly todo: string;
}

const pipes = '2025-11-25 basic/transports#stdio';
const posting = '2025-11-25 basic/transports#sending-messages-to-the-server';
const opening = '2025-11-25 basic/lifecycle#initialization';
const capabilities = '2025-11-25 basic/lifecycle#capability-negotiation';
const addresses = '2025-11-25 basic/transports#streamable-http';

/** Every code with its severity, section and usual advice. */
export const findingKinds: Readonly<Record<FindingCode, Kind>> = {
  // The program.
  'command-not-found': { severity: 'error', where: pipes, todo: 'Give the whole path of the program, or install it. A host that starts from a desktop has another PATH than your terminal.' },
  'not-executable': { severity: 'error', where: pipes, todo: 'Make the file executable (chmod +x), or name its interpreter as the command.' },
  'start-failed': { severity: 'error', where: pipes, todo: 'Run the command by hand in a terminal and fix the error that it prints.' },
  'ended-early': { severity: 'error', where: '2025-11-25 basic/lifecycle#shutdown', todo: 'Run the command by hand with the same environment: it must run until its stdin is closed. Often a module, an argument or an environment variable is missing.' },
  'stray-output': { severity: 'error', where: pipes, rule: 'stdio-4', todo: 'Write logs to stderr: console.error, print(..., file=sys.stderr). Nothing but messages may go to stdout, not even at the start.' },
  'no-answer': { severity: 'error', where: '2025-11-25 basic/lifecycle#timeouts', todo: 'Make sure that it reads stdin line by line, and flushes stdout after each message.' },
  'slow-start': { severity: 'warning', where: '2025-11-25 basic/lifecycle#timeouts', todo: 'Install the package beforehand instead of fetching it at each start (npx, uvx), and answer initialize before loading large modules.' },
  'does-not-end': { severity: 'warning', where: '2025-11-25 basic/lifecycle#shutdown', todo: 'End the program when its stdin ends; otherwise hosts leave processes behind.' },
  // The connection to the address.
  'name-not-found': { severity: 'error', where: addresses, todo: 'Check the host name of the address, and the DNS of this machine.' },
  'connection-refused': { severity: 'error', where: addresses, todo: 'Start the server, and check the port and that it listens on this address (127.0.0.1 and ::1 differ).' },
  'connection-lost': { severity: 'error', where: addresses, todo: 'Read the logs of the server and of any proxy before it: something ends connections.' },
  'connect-timeout': { severity: 'error', where: addresses, todo: 'Check the address, firewalls, and whether a VPN or a proxy is needed.' },
  'tls-failed': { severity: 'error', where: '2026-07-28 basic/authorization/security-considerations#communication-security', todo: 'Renew or complete the certificate of the server; it must send its whole chain. For a private authority set NODE_EXTRA_CA_CERTS.' },
  'wrong-scheme': { severity: 'error', where: addresses, todo: 'Write http:// where the server speaks plain HTTP, and https:// where it speaks TLS.' },
  'not-reached': { severity: 'error', where: addresses, todo: 'Check the address. In a browser the reason is in the console: mostly CORS, or http:// from a page that came over https://.' },
  // The HTTP responses.
  'unauthorized': { severity: 'error', where: '2026-07-28 basic/authorization/index#access-token-usage', todo: 'Log in (barewire login ADDRESS), or give the token with --header "Authorization: Bearer ...".' },
  'challenge-missing': { severity: 'warning', where: '2025-11-25 basic/authorization#protected-resource-metadata-discovery-requirements', rule: 'authorization-60', todo: 'Answer 401 with WWW-Authenticate: Bearer resource_metadata="...", so that clients find where to log in.' },
  'forbidden': { severity: 'error', where: '2026-07-28 basic/authorization/index#error-handling', todo: 'The token lacks a scope, or a rule of the server or of a proxy refuses the request: compare the body of the answer.' },
  'wrong-path': { severity: 'error', where: addresses, todo: 'Use the address of the MCP endpoint itself; its path is often /mcp.' },
  'redirected': { severity: 'error', where: addresses, todo: 'Use the address that it redirects to. Clients do not send credentials after a redirect to another origin, and a 301 or 302 turns a POST into a GET.' },
  'origin-refused': { severity: 'error', where: '2025-11-25 basic/transports#security-warning', todo: 'Add the origin of the page to those that the server allows.' },
  'origin-unchecked': { severity: 'warning', where: '2025-11-25 basic/transports#security-warning', rule: 'streamable-http-32', todo: 'Refuse unknown origins with 403: otherwise any page that you visit can use this server (DNS rebinding).' },
  'content-type-missing': { severity: 'error', where: posting, todo: 'Send Content-Type: application/json with one message, or text/event-stream with events.' },
  'content-type-wrong': { severity: 'error', where: posting, todo: 'Send Content-Type: application/json with one message, or text/event-stream with events.' },
  'not-acceptable': { severity: 'error', where: posting, todo: 'Take requests with Accept: application/json, text/event-stream.' },
  'body-no-message': { severity: 'error', where: posting, todo: 'Answer a request with one JSON-RPC message that has its id.' },
  'server-error': { severity: 'error', where: posting, todo: 'Read the log of the server, or of the proxy before it.' },
  'rate-limited': { severity: 'warning', where: posting, todo: 'Wait as Retry-After says, and raise the limit: a client sends a request for each list.' },
  'old-transport': { severity: 'note', where: '2025-11-25 basic/transports#backwards-compatibility', todo: 'Serve Streamable HTTP as well: newer clients may not try HTTP+SSE.' },
  'session-id-odd': { severity: 'error', where: '2025-11-25 basic/transports#session-management', rule: 'transports-36', todo: 'Make session ids of visible ASCII characters, unguessable, such as a UUID.' },
  'session-not-404': { severity: 'warning', where: '2025-11-25 basic/transports#session-management', rule: 'transports-35', todo: 'Answer 404 to an unknown session id: it tells the client to begin a new session.' },
  'version-header-unchecked': { severity: 'warning', where: '2025-11-25 basic/transports#protocol-version-header', rule: 'transports-9', todo: 'Answer 400 to an MCP-Protocol-Version that is not supported.' },
  'notification-status': { severity: 'warning', where: posting, rule: 'transports-20', todo: 'Answer a notification with 202 and no body.' },
  'get-wrong': { severity: 'warning', where: '2025-11-25 basic/transports#listening-for-messages-from-the-server', rule: 'transports-5', todo: 'Answer GET with a stream of events, or with 405.' },
  'cors-missing': { severity: 'error', where: '2025-11-25 basic/transports#streamable-http', todo: 'Answer OPTIONS with Access-Control-Allow-Origin, -Methods and -Headers, and expose Mcp-Session-Id.' },
  // The opening.
  'wrong-era': { severity: 'error', where: '2026-07-28 basic/versioning#compatibility-matrix', todo: 'Use a client that speaks the revisions of the server, or put barewire bridge between the two.' },
  'unknown-revision': { severity: 'error', where: '2025-11-25 basic/lifecycle#version-negotiation', rule: 'lifecycle-22', todo: 'Answer with a revision of the protocol that exists: the offered one if it is supported, else the newest supported one.' },
  'opening-malformed': { severity: 'error', where: '2025-11-25 schema#initializeresult', rule: 'form-initialize', todo: 'Send every member that the result must have.' },
  'opening-refused': { severity: 'error', where: opening, todo: 'Answer initialize, or server/discover for 2026-07-28.' },
  'discover-ends-server': { severity: 'warning', where: '2026-07-28 basic/transports/stdio#backward-compatibility', todo: 'Answer an unknown method with error -32601 and go on: newer clients ask server/discover first.' },
  'unknown-method-silent': { severity: 'warning', where: '2025-11-25 basic/index#responses', rule: 'form-unknown-method', todo: 'Answer a request of an unknown method with error -32601.' },
  'unknown-method-code': { severity: 'warning', where: '2025-11-25 basic/index#responses', rule: 'form-unknown-method', todo: 'Answer a request of an unknown method with error -32601.' },
  'ping-unanswered': { severity: 'error', where: '2025-11-25 basic/utilities/ping#behavior-requirements', rule: 'ping-1', todo: 'Answer ping with an empty result: hosts treat a server that does not as dead.' },
  // The lists.
  'capability-without-method': { severity: 'error', where: capabilities, todo: 'Serve the method, or do not declare the capability.' },
  'method-without-capability': { severity: 'warning', where: '2025-11-25 server/tools#capabilities', rule: 'tools-3', todo: 'Declare the capability: clients do not ask for what is not declared.' },
  'list-failed': { severity: 'error', where: '2025-11-25 server/tools#listing-tools', todo: 'Fix the error of the list: clients show none of its items.' },
  'list-malformed': { severity: 'error', where: '2025-11-25 schema#listtoolsresult', rule: 'form-tools-list', todo: 'Send the items as a list under the member that the method names.' },
  'list-goes-round': { severity: 'error', where: '2025-11-25 server/utilities/pagination#pagination-flow', todo: 'Leave out nextCursor on the last page, and never give a cursor that was given before.' },
  'list-endless': { severity: 'warning', where: '2025-11-25 server/utilities/pagination#pagination-flow', todo: 'Send larger pages, and a last page.' },
  'result-type-missing': { severity: 'error', where: '2026-07-28 basic/index#result-responses', rule: 'base-72', todo: 'Send resultType with every result of 2026-07-28.' },
  'cache-fields-missing': { severity: 'warning', where: '2026-07-28 server/utilities/caching#cacheable-results', rule: 'caching-9', todo: 'Send ttlMs and cacheScope with cacheable results.' },
  'nothing-offered': { severity: 'warning', where: capabilities, todo: 'Declare tools, resources or prompts, if the server has some.' },
  // Tools, resources, prompts.
  'duplicate-name': { severity: 'error', where: '2025-11-25 server/tools#tool-names', rule: 'tools-27', todo: 'Use unique names: clients keep only one of them.' },
  'name-invalid': { severity: 'warning', where: '2025-11-25 server/tools#tool-names', rule: 'tools-23', todo: 'Use 1 to 128 of the characters A-Z a-z 0-9 _ - and dot.' },
  'name-long': { severity: 'warning', where: '2025-11-25 server/tools#tool-names', todo: 'Use at most 64 characters and no dot: most model APIs refuse others, and hosts add the server name before it.' },
  'description-missing': { severity: 'note', where: '2025-11-25 server/tools#tool', todo: 'Say what the tool does and when to use it: a model reads nothing else.' },
  'schema-missing': { severity: 'error', where: '2025-11-25 server/tools#tool', rule: 'tools-21', todo: 'Send inputSchema; for a tool without parameters {"type": "object", "additionalProperties": false}.' },
  'schema-not-object': { severity: 'error', where: '2025-11-25 server/tools#tool', rule: 'tools-21', todo: 'Make it the schema of an object: {"type": "object", "properties": {...}}.' },
  'schema-invalid': { severity: 'error', where: '2025-11-25 basic/index#schema-validation', rule: 'base-78', todo: 'Make it a valid JSON Schema of 2020-12, or name its dialect in $schema.' },
  'schema-rejected': { severity: 'warning', where: '2025-11-25 basic/index#json-schema-usage', todo: 'Describe the arguments with plain properties: several clients and model APIs refuse the whole list for one such schema.' },
  'annotations-contradict': { severity: 'note', where: '2025-11-25 server/tools#tool', todo: 'A tool that only reads destroys nothing: leave out one of the two hints.' },
  'many-tools': { severity: 'note', where: '2025-11-25 server/tools#listing-tools', todo: 'Split the server, or offer fewer: several hosts allow 40 or 128 tools in total, and models choose worse.' },
  'uri-invalid': { severity: 'error', where: '2025-11-25 server/resources#custom-uri-schemes', rule: 'resources-4', todo: 'Use absolute URIs with a scheme, as in RFC 3986.' },
  'template-invalid': { severity: 'error', where: '2025-11-25 server/resources#resource-templates', todo: 'Use a URI template of RFC 6570.' },
  'prompt-malformed': { severity: 'error', where: '2025-11-25 schema#listpromptsresult', rule: 'form-prompts-list', todo: 'Give each prompt a name, and its arguments as a list of objects with names.' },
};

/** Makes a finding; `own` overrides the defaults of its kind. */
export function finding(code: FindingCode, what: string, own: Partial<Omit<Finding, 'code' | 'what'>> = {}): Finding {
  return { code, what, ...findingKinds[code], ...own };
}
