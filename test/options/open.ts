// Types that accept unknown members on purpose, each with the reason. All other options must reject unknown members, and have a
// call in calls.ts.

const ofWire = 'a message of the protocol: later revisions and other peers have more members, and what is required is judged';
const byAuthor = 'a part that somebody writes, such as a transport or an engine: it may be an object of any class, with members of its own';
const ofOurs = 'made by barewire and passed to a callback, or handed back as it came';

/** Types, by their names. */
export const openTypes: Readonly<Record<string, string>> = {
  Notification: ofWire, Request: ofWire, Failure: ofWire, Refusal: ofOurs, Progress: ofWire, LoggingMessageNotificationParams: ofWire,
  CreateMessageRequestParams: ofWire, CreateMessageResult: ofWire, ElicitResult: ofWire, ListRootsResult: ofWire, ElicitRequestFormParams: ofWire, ElicitRequestURLParams: ofWire,
  'ElicitRequestURLParams & { readonly host: string; }': ofWire, PromptReference: ofWire, Root: ofWire, Tool: ofWire, Icon: ofWire,
  ClientCapabilities: ofWire, ServerCapabilities: ofWire, RequestedSchema: ofWire, 'Feature<NoInfer<C>>': byAuthor, 'ExchangeClasses<C>': byAuthor, Authenticator: byAuthor, HttpAuthorization: byAuthor, Format: byAuthor, Grant: byAuthor, AuthorizationStore: byAuthor,
  BooleanSchema: ofWire, LegacyTitledEnumSchema: ofWire, NumberSchema: ofWire, StringSchema: ofWire, TitledMultiSelectEnumSchema: ofWire, TitledSingleSelectEnumSchema: ofWire,
  UntitledMultiSelectEnumSchema: ofWire, UntitledSingleSelectEnumSchema: ofWire,
  Auth: 'what an application knows of the caller: handlers read members of its own', AuthRefusal: 'what an application says of a refusal',
  Outlet: byAuthor, Requester: byAuthor, LegacyRequester: byAuthor, ToldClient: ofOurs, 'FeatureHost<PlainContext>': byAuthor, 'FeatureHost<C>': byAuthor, ClientTransport: byAuthor, Cache: byAuthor,
  ServerInternals: byAuthor, ServerPort: byAuthor, SerialChannel: byAuthor, 'RegisteredHandler<R>': byAuthor, 'RegisteredHandler<never>': byAuthor,
  HttpRequest: ofOurs, ClientReceiver: byAuthor, HttpSender: byAuthor, MessagePortLike: byAuthor, WebSocketLike: byAuthor, CallbackSocket: byAuthor, Pipe: byAuthor, Answering: byAuthor, ConnectionHandlers: byAuthor,
  RequestPort: byAuthor, BusHandler: byAuthor, FleetEngine: byAuthor, Sessions: byAuthor, NodeRequest: byAuthor,
  UpgradeRequest: 'a request of a runtime, with all its members', OpenOptions: ofOurs,
  FetchContext: 'what a runtime passes with a request', SharedPeer: byAuthor, Pinging: byAuthor,
  PeerOptions: 'what a transport says of a connection; without `auth` the client is nobody, and reaches nothing that has scopes',
  ErrorPlace: ofOurs, ObservedRequest: ofOurs, TraceEntry: ofOurs, HttpTraceEntry: ofOurs, TappedMessage: ofOurs, ProbeRequest: ofOurs, JudgeRuling: ofOurs, Judgement: ofOurs, HttpSend: ofOurs, Outgoing: ofOurs,
  CallToolResult: ofWire, 'Pick<Tool, "_meta">': ofWire, 'Pick<Resource, "_meta" | "uri">': ofWire, AppHostContext: 'goes to an app as it is: hosts and later revisions have more members',
  ApprovalRequest: ofOurs, PinChange: ofOurs, PinnedServer: ofOurs, PendingLogin: ofOurs, Node: ofOurs,
  SchemaInterface: 'a schema of a library: an object with whatever the library has',
  '{ cause?: unknown; }': 'the options of an Error, which the language leaves open',
};

/** Interfaces whose functions barewire calls, and functions that open nothing. By place; a final `*` matches any ending. */
export const openPlaces: Readonly<Record<string, string>> = {
  'barewire/client ListeningPort.*': 'called by barewire',
  'barewire/skills SkillsClient.*': 'what is used of a client: called by barewire',
  'barewire/host hostSkills(options)': 'called by Host',
  'barewire/host HostSkills.*': 'exported as a type: hostSkills makes it, and Host.skills and Host.loadSkill check its options',
  'barewire/client Listening.*': 'a part of ClientCore: McpClient.subscribe and unsubscribe have their calls',
  'barewire/client ClientCore.all(options)': 'protected',
  'barewire/client McpClient.all(options)': 'protected',
  'barewire/tasks TaskClient.all(options)': 'protected',
  'barewire/server Guards.constructor(options)': 'exported as a type: guards() makes it',
  'barewire/server AddTool(definition)': 'the type of McpServer.tool',
  'barewire/server AddResource(definition)': 'the type of McpServer.resource',
  'barewire/server AddResourceTemplate(definition)': 'the type of McpServer.resourceTemplate',
  'barewire/server AddPrompt(definition)': 'the type of McpServer.prompt',
  'barewire/jsonrpc PendingRequests.request(options)': 'the client holds them against a shape before; its times are judged here',
  'barewire/http Endpoint.close(options)': 'made by serveHttp, for an engine',
  'barewire/fleet/node Workers.close(options)': 'its workers run the program once more: test/fleet/workers.test.ts has it refuse',
  'barewire/server-card ServeCard(at)': 'the options of serveHttp, which has checked them',
  'barewire/http HttpClientEngine(options)': 'httpTransport has checked them',
  'barewire/http1/node http1Client(options)': 'likewise',
  'barewire/http1 MessageDecoder.constructor(options)': 'exported as a type: requestDecoder() and responseDecoder() make it, and check them',
  'barewire/host isProgram(config)': 'tells which of the two an entry is',
  'barewire/host HostOptions.*': 'called by barewire',
  'barewire/host HostCallOptions.via(options)': 'called by barewire',
  'barewire/judge jsonReport(options)': 'takes what judgeServer returned: no options',
  'barewire/judge counted(judgements)': 'takes what judgeServer returned: no options',
  'barewire/judge textReport(ruling)': 'takes what judgeServer returned: no options',
  'barewire/judge badgeReport(options)': 'takes what judgeServer returned: no options',
  'barewire/judge baselineOf(options)': 'takes what judgeServer returned: no options',
  'barewire/judge newFaults(options)': 'takes what judgeServer returned: no options',
  'barewire/judge htmlReport(ruling)': 'takes what judgeServer returned: no options',
  'barewire/judge junitReport(options)': 'takes what judgeServer returned: no options',
  'barewire/judge sarifReport(ruling)': 'takes what judgeServer returned: no options',
  'barewire/judge withoutSecrets(ruling)': 'takes what judgeServer returned: no options',
  'barewire/judge wireReport(judgement)': 'takes what judgeServer returned: no options',
  'barewire/judge textReport(options)': 'how a report looks; barewire judge calls it',
};

/** Members that are not checked at their place. By place and path; a final `*` matches any ending. */
export const openPaths: Readonly<Record<string, string>> = {
  'barewire/server Tools.add(definition).annotations.*': 'McpServer judges them; tools() has the option `check` for it, which the smallest server leaves out',
  'barewire/server Tools.add(definition).execution.*': 'likewise',
  'barewire/client answering(given).capabilities.*': 'what a client declares of a capability goes over the wire as it is',
  'barewire/client McpClient.constructor(given).capabilities.*': 'likewise',
  'barewire/client ClientCore.constructor(options).capabilities.*': 'likewise',
};
