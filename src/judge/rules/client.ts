// Written by scripts/judge-rules.mjs from the matrix; not to be edited. `id|level|rule|sections`: each digit of a section is a revision.
export const clientRules: string = `
authorization-2|MUST|a client names the resource in its requests for tokens|4 basic/authorization/security-considerations#token-audience-binding-and-validation;4 basic/authorization/security-considerations#access-token-privilege-restriction;4 basic/authorization/index#resource-parameter-implementation;4 basic/authorization/index#canonical-server-uri;23 basic/authorization#token-audience-binding-and-validation;23 basic/authorization#resource-parameter-implementation;23 basic/authorization#canonical-server-uri;23 basic/authorization#access-token-privilege-restriction
authorization-7|MUST|a client refuses a server that does not say that it has PKCE|4 basic/authorization/security-considerations#authorization-code-protection;23 basic/authorization#authorization-code-protection;1 basic/authorization#implementation-requirements
authorization-8|MUST|a client uses S256|4 basic/authorization/security-considerations#authorization-code-protection;3 basic/authorization#authorization-code-protection
authorization-19|SHOULD|a client names the resource as closely as it can|4 basic/authorization/index#canonical-server-uri;23 basic/authorization#canonical-server-uri
authorization-21|MUST|an authorization server minds the risks of metadata documents|4? basic/authorization/client-registration#implementation-requirements;4 basic/authorization/security-considerations#client-id-metadata-document-security;3? basic/authorization#implementation-requirements;3 basic/authorization#client-id-metadata-document-security
authorization-22|MUST|client ID metadata documents are supported|4? basic/authorization/index#overview;4? basic/authorization/client-registration#client-id-metadata-documents;4 basic/authorization/index#client-registration;4 basic/authorization/client-registration#implementation-requirements;3? basic/authorization#overview;3? basic/authorization#client-id-metadata-documents;3 basic/authorization#implementation-requirements
authorization-23|SHOULD|without another way the user is asked for client credentials|4 basic/authorization/client-registration;3 basic/authorization#client-registration-approaches
authorization-24|SHOULD|a metadata document comes before registration|4 basic/authorization/client-registration;3 basic/authorization#client-registration-approaches
authorization-25|SHOULD|registration comes after a metadata document|4 basic/authorization/client-registration;3 basic/authorization#client-registration-approaches
authorization-26|SHOULD|credentials that the client has come first|4 basic/authorization/client-registration;3 basic/authorization#client-registration-approaches
authorization-28|MUST|redirect URIs are https or localhost|4 basic/authorization/security-considerations#communication-security;23 basic/authorization#communication-security;1 basic/authorization#security-considerations
authorization-31|SHOULD|a client asks whether metadata documents are taken, and falls back|4 basic/authorization/client-registration#advertising-cimd-support;3 basic/authorization#discovery
authorization-33|MUST|the client id of a metadata document is its URL|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-34|MUST|a metadata document is at an https URL|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-40|MUST|a client id URL is https and has a path|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-46|MUST|a client registers its redirect URIs|4 basic/authorization/security-considerations#open-redirection;23 basic/authorization#open-redirection
authorization-47|SHOULD|a client checks the state of a response|4 basic/authorization/security-considerations#open-redirection;23 basic/authorization#open-redirection
authorization-51|MUST|a client finds the authorization server by protected resource metadata|4 basic/authorization/index#overview;4 basic/authorization/index#authorization-server-discovery;23 basic/authorization#overview
authorization-52|SHOULD|client credentials may be given beforehand|4 basic/authorization/client-registration#pre-registration;3 basic/authorization#preregistration
authorization-53|MUST|challenged scopes need not be among those that are listed|4 basic/authorization/index#scope-selection-strategy;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-54|MUST|the scopes of a challenge are what is needed|4 basic/authorization/index#scope-selection-strategy;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-55|SHOULD|without scopes in the challenge the listed ones are asked for|4 basic/authorization/index#scope-selection-strategy;3 basic/authorization#scope-selection-strategy;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-56|MUST|a client reads challenges|4 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements;3 basic/authorization#protected-resource-metadata-discovery-requirements;2 basic/authorization#authorization-server-location
authorization-57|MUST|the metadata is found by the challenge, else at its well-known places|4 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-75|SHOULD|the scopes of the first challenge are asked for|4 basic/authorization/index#scope-selection-strategy;3 basic/authorization#scope-selection-strategy
authorization-76|SHOULD|no more scopes are asked for than are needed|4 basic/authorization/index#scope-selection-strategy;3 basic/authorization#scope-selection-strategy
authorization-78|SHOULD|step-up is tried a bounded number of times|4 basic/authorization/index#step-up-authorization-flow;3 basic/authorization#step-up-authorization-flow
authorization-79|SHOULD|a client steps up when it has too few scopes|4 basic/authorization/index#step-up-authorization-flow;3 basic/authorization#step-up-authorization-flow
authorization-82|MUST|a client sends a server only the tokens for it|4 basic/authorization/index#token-handling;23 basic/authorization#token-handling
authorization-85|MUST|a client sends the token in the Authorization header|4 basic/authorization/index#token-requirements;123 basic/authorization#token-requirements
authorization-89|MUST|refresh tokens rotate|4 basic/authorization/security-considerations#token-theft;23 basic/authorization#token-theft;1? basic/authorization#implementation-requirements
authorization-90|MUST|registrations are kept for each authorization server|4 basic/authorization/client-registration#authorization-server-binding;4 basic/authorization/authorization-server-discovery#authorization-server-location
authorization-91|MUST|metadata is taken only from its own issuer|4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery
authorization-92|MUST|a registration that is refused for its redirect URI is handled|4? basic/authorization/client-registration#application-type-and-redirect-uri-constraints;4 basic/authorization/client-registration#application-type-and-redirect-uri-constraints
authorization-93|MUST|a registration says the type of application|4 basic/authorization/client-registration#application-type-and-redirect-uri-constraints
authorization-94|SHOULD|a program on a machine is native|4 basic/authorization/client-registration#application-type-and-redirect-uri-constraints
authorization-95|SHOULD|an application on the web is web|4 basic/authorization/client-registration#application-type-and-redirect-uri-constraints
authorization-96|SHOULD|credentials of another authorization server are an error|4 basic/authorization/client-registration#authorization-server-binding
elicitation-39|SHOULD|the host limits the rate of questions|23 client/elicitation#security-considerations
authorization-98|MUST|the issuer of a response is compared byte for byte|4 basic/authorization/index#authorization-response-validation
authorization-100|MUST|the issuer is recorded before the redirect|4 basic/authorization/index#authorization-response-validation
authorization-102|MUST|the issuer of a response is checked before the code is sent|4 basic/authorization/index#authorization-response-validation
authorization-103|MUST|the error of another issuer is not shown|4 basic/authorization/index#authorization-response-validation
authorization-105|MUST|a client counts on no refresh token|4 basic/authorization/index#refresh-tokens
authorization-106|MUST|a client keeps refresh tokens secret|4 basic/authorization/index#refresh-tokens
authorization-107|SHOULD|a registration lists refresh_token|4 basic/authorization/index#refresh-tokens
authorization-109|SHOULD|a new login asks for the old scopes too|4 basic/authorization/index#scope-selection-strategy
roots-18|MUST|a root's URI has no steps upward|01234 client/roots#security-considerations
tools-11|SHOULD|a client gives tool calls a timeout|01234 server/tools#security-considerations
authorization-112|MUST|a server without metadata has its endpoints at the default paths of its origin|1 basic/authorization#fallbacks-for-servers-without-metadata-discovery
authorization-114|SHOULD|requests for metadata carry MCP-Protocol-Version|1 basic/authorization#server-metadata-discovery-headers
changelog-1|MUST|after a broken stream the call is lost, and made again only as a new request|4 changelog#major-changes
changelog-3|MUST|client credentials are kept for each issuer and used at no other|4 changelog#minor-changes
discover-4|SHOULD|a client of both eras asks server/discover first|4 server/discover#when-to-call;4 basic/transports/stdio#backward-compatibility
base-7|MUST|each request carries version, client capabilities and client name in _meta|4 server/utilities/pagination;4 server/utilities/completion;4 server/tools;4 server/resources;4 server/prompts;4 basic/patterns/mrtr;4 basic/index#_meta
base-8|SHOULD|a client names itself with each request|4 schema#RequestMetaObject;4 changelog#major-changes;4 basic/index#_meta
base-25|SHOULD|a client handles -32002 like other errors|4 server/resources#error-handling;4 basic/index#error-codes
base-73|MUST|a client takes a result of an unknown type for invalid|4 basic/index#resulttype
base-74|MUST|a client takes a result without a type for complete|4 schema#Result;4 changelog#major-changes;4 basic/index#resulttype
lifecycle-5|MUST|a client says its capabilities in initialize|0123 basic/lifecycle#initialization
lifecycle-6|MUST|a client says its name in initialize|0123 basic/lifecycle#initialization
lifecycle-7|MUST|initialize says the version|0123 basic/lifecycle#initialization
lifecycle-8|SHOULD|a client sends nothing but pings before the answer to initialize|0123 basic/lifecycle#initialization
lifecycle-10|MUST|a client sends initialize in no batch|1 basic/lifecycle#initialization
lifecycle-15|SHOULD|a client closes the server's input first|4 basic/transports/stdio#shutdown;0123 basic/lifecycle#stdio
lifecycle-16|SHOULD|a client kills a server that stays after SIGTERM|4 basic/transports/stdio#shutdown;0123 basic/lifecycle#stdio
lifecycle-17|SHOULD|a client waits for the server, then sends SIGTERM|4 basic/transports/stdio#shutdown;0123 basic/lifecycle#stdio
lifecycle-18|MUST|a client leaves a server with an unsupported version|0123? basic/lifecycle#version-negotiation;0123 schema#InitializeResult
lifecycle-20|MUST|after the handshake each HTTP request names the version (MCP-Protocol-Version)|23 basic/transports#protocol-version-header;23 basic/lifecycle#version-negotiation
lifecycle-25|MUST|after the answer to initialize a client sends notifications/initialized|0123 basic/lifecycle#initialization
versioning-2|SHOULD|which era a server is of is remembered|4 basic/versioning#backward-compatibility-with-initialization-based-versions
versioning-3|SHOULD|a modern client over a pipe probes, and reports what is wrong|4 basic/versioning#compatibility-matrix
versioning-8|SHOULD|a client tries a common version, or reports a mismatch|4 basic/versioning#protocol-version-negotiation
elicitation-1|MUST|a client declares at least one mode of elicitation|34 client/elicitation#capabilities
elicitation-2|MUST|a client that answers elicitation declares it at the handshake|23 client/elicitation#capabilities
elicitation-3|MUST|a client that answers elicitation declares it with each request|4 client/elicitation#capabilities
elicitation-5|MUST|a completion of an unknown or finished elicitation is ignored|3 client/elicitation#completion-notifications-for-url-mode-elicitation
elicitation-10|MUST|a client takes an elicitation without a mode for a form|34 client/elicitation#elicitation-requests
elicitation-11|MUST|an elicitation in a mode that the client has not declared is -32602|3 client/elicitation#error-handling
elicitation-15|SHOULD|a client checks a form's answers against its schema|34 client/elicitation#form-mode-security
elicitation-23|SHOULD|a form is filled with the defaults of its schema|34 client/elicitation#requested-schema
elicitation-25|MUST|a client fetches nothing of the URL by itself|34 client/elicitation#safe-url-handling
roots-2|MUST|a client with roots declares them at the handshake|0123 client/roots#capabilities
roots-3|MUST|a client with roots declares them with each request|4 client/roots#capabilities
roots-4|SHOULD|roots/list at a client without roots is -32601|0123 client/roots#error-handling
roots-5|SHOULD|an unexpected failure in roots is -32603|0123 client/roots#error-handling
roots-14|MUST|a root is a file URI|01234 client/roots#root
roots-15|MUST|a client with listChanged tells the server of changed roots|0123 client/roots#root-list-changes
sampling-2|MUST|a client with sampling declares it at the handshake|0123 client/sampling#capabilities
sampling-3|MUST|a client with sampling declares it with each request|4 client/sampling#capabilities
sampling-6|SHOULD|sampling with a tool use that has no result is -32602|3 client/sampling#error-handling
sampling-7|SHOULD|sampling that mixes tool results with other content is -32602|3 client/sampling#error-handling
sampling-21|MUST|a client that samples with tools declares it|34 client/sampling#tools-in-sampling
caching-1|MUST|a cached answer serves only the same method with the same parameters|4 server/utilities/caching#cache-key
caching-2|MUST|an answer to a retry with input responses or state is never cached|4 server/utilities/caching#cache-key
caching-3|MUST|a cache never serves two authorization contexts|4 server/utilities/caching#cache-scope-field;4 schema#CacheableResult
caching-10|SHOULD|the end of a lifetime does not start a fetch by itself|4 server/utilities/caching#freshness-calculation
caching-11|MUST|polling uses jitter and backoff|4 server/utilities/caching#freshness-calculation
caching-12|SHOULD|after its lifetime an answer is fetched again at the next use|4 server/utilities/caching#freshness-calculation
caching-13|SHOULD|for a consistent list the client begins at the first page|4 server/utilities/caching#interaction-with-pagination
caching-15|SHOULD|when a cursor has died, the cached pages go and the list begins anew|4 server/utilities/caching#interaction-with-pagination
caching-16|SHOULD|a stale page is fetched again with its own cursor|4 server/utilities/caching#interaction-with-pagination
caching-19|SHOULD|a lifetime of 0 is stale at once|4 server/utilities/caching#time-to-live-ttl-field;4 schema#CacheableResult
caching-20|SHOULD|without a lifetime the client takes 0|4 server/utilities/caching#time-to-live-ttl-field
caching-21|SHOULD|a negative lifetime counts as 0|4 server/utilities/caching#time-to-live-ttl-field
caching-22|SHOULD|within its lifetime an answer is fresh|4 server/utilities/caching#time-to-live-ttl-field;4 schema#CacheableResult
cancellation-1|SHOULD|a client that gives up a request says so|4 basic/patterns/cancellation
cancellation-23|MUST|over a pipe a client cancels by notifications/cancelled with the request's id|4 basic/transports/stdio#cancellation;4 basic/patterns/cancellation#transport-specific-cancellation
mrtr-2|MUST|a client neither reads nor changes requestState|4 basic/patterns/mrtr#inputrequiredresult;4 basic/patterns/mrtr#client-requirements-basic-workflow
mrtr-3|MUST|a client answers every question before it retries|4 basic/patterns/mrtr#client-requirements-basic-workflow
mrtr-4|MUST|a retry returns requestState unchanged|4 basic/patterns/mrtr#client-requirements-basic-workflow
mrtr-5|MUST|a retry has no requestState if the result had none|4 basic/patterns/mrtr#client-requirements-basic-workflow
mrtr-6|MUST|a retry has a new id|4 server/tools#input-required-tool-results;4 basic/patterns/mrtr#client-requirements-basic-workflow
mrtr-7|MUST|answers and state go to no other request|4 basic/patterns/mrtr#client-requirements-basic-workflow
pagination-2|MUST|a client neither reads nor changes cursors|3 basic/utilities/tasks#task-listing;01234 server/utilities/pagination#implementation-guidelines
pagination-3|MUST|a client keeps no cursors over sessions|0123 server/utilities/pagination#implementation-guidelines
pagination-4|SHOULD|lists with and without pages are read|01234 server/utilities/pagination#implementation-guidelines
pagination-5|SHOULD|a list without a cursor has ended|01234 server/utilities/pagination#implementation-guidelines
pagination-6|MUST|an empty cursor is a cursor, and the same may come again; null ends the list|4 server/utilities/pagination#implementation-guidelines
pagination-8|MUST|a client takes pages of any size|01234 server/utilities/pagination#pagination-model
subscriptions-1|SHOULD|a client reads which of its subscriptions were granted|4 basic/patterns/subscriptions#acknowledgment
subscriptions-4|MUST|after a new connection the client subscribes again|4 basic/patterns/subscriptions#graceful-closure
schema-3|MUST|a client without sampling.tools refuses tools in sampling|34 schema#CreateMessageRequestParams
schema-4|MUST|an id of an elicitation is opaque to the client|3 schema#ElicitRequestURLParams
schema-8|SHOULD|a hint is part of a model's name|01234 schema#ModelHint
schema-10|SHOULD|hints go before priorities|01234 schema#ModelPreferences
schema-12|SHOULD|hosts keep the metadata of tool results|34 schema#ToolResultContent
schema-15|SHOULD|hosts keep the metadata of tool uses|34 schema#ToolUseContent
completion-8|SHOULD|a client takes missing or partial completions|01234 server/utilities/completion#implementation-considerations
prompts-12|SHOULD|a client reads all pages of prompts|01234 server/prompts#implementation-considerations
tools-9|SHOULD|a client checks structured results against the tool's schema|234 server/tools#output-schema;01234 server/tools#security-considerations
tasks-12|MUST|a requestor makes no task at a receiver without the capability|3? basic/utilities/tasks#capability-negotiation;3 basic/utilities/tasks#tool-level-negotiation
tasks-62|MUST|a client calls a tool that requires a task as a task|3 basic/utilities/tasks#tool-level-negotiation
tasks-63|MUST|a client calls a tool that allows no task plainly|3 basic/utilities/tasks#tool-level-negotiation
stdio-2|SHOULD|output on stderr is not a sign of failure|4 basic/transports/stdio;3 basic/transports#stdio
stdio-3|MUST|a client writes nothing but messages to the server|4 basic/transports/stdio;0123 basic/transports#stdio
stdio-6|SHOULD|a client that speaks only modern revisions probes as well|4 basic/transports/stdio#backward-compatibility
stdio-7|MUST|falling back does not depend on one error code|4 basic/transports/stdio#backward-compatibility
stdio-9|MUST|over a pipe notifications find their subscription by its id|4 basic/transports/stdio#receiving-messages;4 basic/patterns/subscriptions#receiving-notifications
stdio-11|SHOULD|a server process that died is started again|4 basic/transports/stdio#unexpected-termination
streamable-http-2|SHOULD|a client reads the body of a 400 before it falls back|4 basic/transports/streamable-http#backward-compatibility
streamable-http-4|SHOULD|after a header mismatch the client lists the tools again|4 basic/transports/streamable-http#client-behavior
streamable-http-5|MUST|a call carries a header for each mirrored parameter|4 basic/transports/streamable-http#custom-headers-from-tool-parameters;4 basic/transports/streamable-http#client-behavior
streamable-http-6|MUST|a call carries its method and name as headers|4 basic/transports/streamable-http#client-behavior
streamable-http-7|MUST|values of mirrored headers are encoded|4 basic/transports/streamable-http#client-behavior
streamable-http-8|MUST|the standard headers are taken from the body|4 basic/transports/streamable-http#client-behavior
streamable-http-9|MUST|parameters to mirror are found by the tool's schema|4 basic/transports/streamable-http#client-behavior
streamable-http-15|MUST|each POST names its version|4 basic/transports/streamable-http#sending-messages;4 basic/transports/streamable-http#protocol-version-header
streamable-http-19|MUST|the version in MCP-Protocol-Version is that of the body|4 schema#RequestMetaObject;4 basic/transports/streamable-http#protocol-version-header
streamable-http-23|SHOULD|a tool that is left out for its headers is reported|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-24|MUST|a client leaves out a tool whose header annotations are wrong|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-26|MUST|a header annotation is not empty|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-27|MUST|a header annotation has no control characters|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-28|MUST|header annotations of a tool differ beyond case|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-29|MUST|a header annotation is a token|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-30|MUST|only strings, integers and booleans are mirrored|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-31|MUST|only parameters on a plain path of properties are mirrored|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-36|MUST|each message is a separate POST|4 basic/transports/streamable-http#sending-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-40|MUST|a client posts one request or notification in a body|4 basic/transports/streamable-http#sending-messages
streamable-http-41|MUST|a client accepts JSON and event streams|4 basic/transports/streamable-http#sending-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-42|MUST|a client reads both JSON and event streams as responses|4 basic/transports/streamable-http#sending-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-43|MUST|messages go by POST|4 basic/transports/streamable-http#sending-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-57|MUST|a name that is not plain ASCII is sent in Base64|4? basic/transports/streamable-http#value-encoding;4 basic/transports/streamable-http#standard-request-headers
streamable-http-59|MUST|values are encoded so that a header cannot be broken|4 basic/transports/streamable-http#value-encoding
streamable-http-60|MUST|the marks of Base64 are lower case|4 basic/transports/streamable-http#value-encoding
streamable-http-61|MUST|a value that looks like Base64 with its marks is encoded too|4 basic/transports/streamable-http#value-encoding
streamable-http-62|MUST|a value that is not plain ASCII is sent in Base64|4 basic/transports/streamable-http#value-encoding
transports-1|SHOULD|a client can speak stdio|0123 basic/transports
transports-3|MUST|a client's GET accepts event streams|123 basic/transports#listening-for-messages-from-the-server
transports-10|SHOULD|the version header is the negotiated version|23 basic/transports#protocol-version-header
transports-13|SHOULD|a client resumes by GET with Last-Event-ID|123 basic/transports#resumability-and-redelivery
transports-23|MUST|a body is one request, notification or response|123 basic/transports#sending-messages-to-the-server
transports-24|MUST|a body may be a batch of requests (2025-03-26)|1 basic/transports#sending-messages-to-the-server
transports-25|MUST|a body may be a batch of responses (2025-03-26)|1 basic/transports#sending-messages-to-the-server
transports-26|MUST|a client waits as long as retry says|3 basic/transports#sending-messages-to-the-server
transports-27|SHOULD|a client polls by connecting again|3 basic/transports#sending-messages-to-the-server
transports-30|SHOULD|over HTTP a legacy client cancels by notifications/cancelled|123 basic/transports#sending-messages-to-the-server
transports-31|SHOULD|a client that leaves deletes its session (DELETE with Mcp-Session-Id)|123 basic/transports#session-management
transports-32|MUST|a client sends Mcp-Session-Id with each request|123 basic/transports#session-management
transports-34|MUST|a client keeps its session id (Mcp-Session-Id) to itself|3 basic/transports#session-management
transports-38|MUST|after a 404 the client starts a new session|123 basic/transports#session-management
`;
