// Written by scripts/judge-rules.mjs from the matrix; not to be edited. `id|level|rule|sections`: each digit of a section is a revision.
export const serverRules: string = `
authorization-1|MUST|a server checks each token as OAuth 2.1 section 5.2 has it|4 basic/authorization/security-considerations#access-token-privilege-restriction;4 basic/authorization/index#token-handling;23 basic/authorization#access-token-privilege-restriction;123 basic/authorization#token-handling
authorization-3|MUST|a server takes only access tokens whose audience it is|4 basic/authorization/security-considerations#token-audience-binding-and-validation;4 basic/authorization/security-considerations#access-token-privilege-restriction;4 basic/authorization/index#token-handling;23 basic/authorization#token-handling;23 basic/authorization#token-audience-binding-and-validation;23 basic/authorization#access-token-privilege-restriction
authorization-4|MUST|tokens are checked before the request is looked at|4 basic/authorization/security-considerations#access-token-privilege-restriction;23 basic/authorization#access-token-privilege-restriction
authorization-5|MUST|a server does not pass its client's token on|4 basic/authorization/security-considerations#access-token-privilege-restriction;23 basic/authorization#access-token-privilege-restriction
authorization-6|MUST|an authorization server says which PKCE methods it has|4 basic/authorization/security-considerations#authorization-code-protection;3 basic/authorization#authorization-code-protection
authorization-9|SHOULD|an authorization server that fetches documents minds SSRF|4 basic/authorization/security-considerations#authorization-server-abuse-protection;3 basic/authorization#authorization-server-abuse-protection
authorization-10|MUST|a server has protected resource metadata|4 basic/authorization/index#overview;4 basic/authorization/authorization-server-discovery#authorization-server-location;23 basic/authorization#overview;23 basic/authorization#authorization-server-location
authorization-30|MUST|a proxy asks for consent for each client|4 basic/authorization/security-considerations#confused-deputy-problem;23 basic/authorization#confused-deputy-problem
authorization-32|MUST|a server gives errors of authorization their HTTP status|4 basic/authorization/index#error-handling;123 basic/authorization#error-handling;1 basic/authorization#example-authorization-code-grant
authorization-44|MUST|an authorization server redirects to trusted URIs only|4? basic/authorization/security-considerations#open-redirection;4 basic/authorization/security-considerations#open-redirection;23? basic/authorization#open-redirection;23 basic/authorization#open-redirection
authorization-45|MUST|an authorization server compares redirect URIs exactly|4 basic/authorization/security-considerations#open-redirection;23 basic/authorization#open-redirection;1 basic/authorization#security-considerations-2;1 basic/authorization#security-considerations
authorization-48|MUST|an authorization server is one of OAuth 2.1|4 basic/authorization/index#overview;123 basic/authorization#overview
authorization-49|MUST|an authorization server has OAuth metadata|4 basic/authorization/index#overview;3 basic/authorization#overview;1? basic/authorization#server-metadata-discovery
authorization-50|MUST|an authorization server has OpenID metadata|4 basic/authorization/index#overview;3 basic/authorization#overview
authorization-58|MUST|the metadata is served at its well-known place with the path|4 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-59|MUST|the metadata is served at the well-known root|4 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-60|MUST|a challenge names the metadata|4 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements;3 basic/authorization#protected-resource-metadata-discovery-requirements;2 basic/authorization#authorization-server-location
authorization-61|MUST|the metadata is served at a well-known place|4 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-62|SHOULD|a challenge names the scopes|4 basic/authorization/index#scope-selection-strategy;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-63|SHOULD|scopes are named in a steady way|4 basic/authorization/index#scope-selection-strategy;4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors;3 basic/authorization#protected-resource-metadata-discovery-requirements
authorization-68|SHOULD|a refusal for scopes names those of the request|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-69|SHOULD|scopes are chosen so that users are asked seldom|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-70|SHOULD|a server answers too few scopes with 403|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-71|SHOULD|too few scopes: the challenge says insufficient_scope|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-72|SHOULD|too few scopes: the challenge may say why|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-73|SHOULD|too few scopes: the challenge names the metadata|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-74|SHOULD|too few scopes: the challenge names what is needed|4 basic/authorization/index#runtime-insufficient-scope-errors;3 basic/authorization#runtime-insufficient-scope-errors
authorization-80|MUST|a bad token is answered as OAuth 2.1 section 5.3 has it|4 basic/authorization/index#token-handling;123 basic/authorization#token-handling
authorization-81|MUST|an invalid or expired token: 401|4 basic/authorization/index#token-handling;123 basic/authorization#token-handling
authorization-87|SHOULD|tokens are short-lived|4 basic/authorization/security-considerations#token-theft;23 basic/authorization#token-theft;1 basic/authorization#security-considerations;1 basic/authorization#implementation-requirements
caching-17|MUST|access is checked for each primitive; the cache scope protects nothing|4 server/utilities/caching#security-considerations
caching-18|MUST|an author knows that a public answer may be shown to other callers|4 server/utilities/caching#security-considerations
elicitation-42|MUST|state of a question belongs to one client and one user|34 client/elicitation#security-considerations
authorization-99|MUST|an authorization server says that it sends iss|4 basic/authorization/index#authorization-response-validation
authorization-101|SHOULD|an authorization server sends iss|4 basic/authorization/index#authorization-response-validation
authorization-104|SHOULD|a server does not ask for offline_access|4 basic/authorization/index#refresh-tokens
authorization-108|SHOULD|all scopes of the operation are in one challenge|4 basic/authorization/index#runtime-insufficient-scope-errors
authorization-111|MUST|a server lets a broader scope hold narrower ones|4 basic/authorization/index#step-up-authorization-flow
resources-11|SHOULD|the author protects resources|01234 server/resources#security-considerations
resources-12|MUST|bytes that a handler returns go out in Base64|01234 server/resources#security-considerations
resources-13|MUST|the author keeps file paths inside their folder|4 server/resources#security-considerations
resources-14|MUST|URIs of resources are checked; a plain variable of a URI template stays in its segment|01234 server/resources#security-considerations
sampling-18|MUST|a server answers each tool use with its result, and nothing beside|34 client/sampling#tool-use-and-result-balance;34 client/sampling#tool-result-messages;34 client/sampling#security-considerations
tools-15|MUST|the author protects tools|01234 server/tools#security-considerations
tools-16|MUST|the author limits the rate of calls|01234 server/tools#security-considerations
tools-17|MUST|the author cleans what tools return|01234 server/tools#security-considerations
tools-18|MUST|the arguments of a tool are checked|01234 server/tools#security-considerations
authorization-115|MUST|a server without metadata of its authorization server has the default paths|1 basic/authorization#server-metadata-discovery;1 basic/authorization#overview
authorization-116|MUST|an authorization server has grants that suit its users, and takes only tokens meant for it|2 basic/authorization#token-handling;1? basic/authorization#oauth-grant-types
authorization-117|MUST|a server that lets a third party log in keeps its tokens apart, and follows their life|1 basic/authorization#session-binding-requirements;1 basic/authorization#security-considerations-2
changelog-2|MUST|a client checks the issuer that comes with an authorization response|4 changelog#minor-changes
discover-1|MUST|a modern server answers server/discover|4 server/discover;4 schema#DiscoverRequest;4 changelog#major-changes;4 basic/versioning#protocol-version-negotiation
discover-3|SHOULD|a server names itself in the result of server/discover|4 server/discover#discoverresult
base-4|MUST|a request without a required field of _meta is refused with -32602|4 basic/index#_meta
base-5|MUST|a server uses nothing that the client has not declared|4 basic/index#_meta
base-9|MUST|a request that needs an undeclared capability is refused with -32021 that names it|4 basic/index#_meta
base-14|MUST|the refusals -32020, -32022 and of malformed _meta have HTTP status 400|4 basic/index#_meta
base-15|MUST|each notification of a subscription carries its subscription id|4 schema#NotificationMetaObject;4 basic/index#_meta
base-16|SHOULD|a server names itself in each result|4 schema#ResultMetaObject;4 basic/index#_meta
base-72|MUST|a result says its type|4 schema#Result;4 basic/index#result-responses
base-78|MUST|a server's tools have schemas valid in their dialect|34 basic/index#schema-validation
base-80|MUST|a modern server keeps nothing from one request for the next|4 schema#RequestMetaObject;4 basic/index#statelessness
base-81|SHOULD|no request needs a certain connection|4 basic/index#statelessness
base-82|SHOULD|requests of many conversations go side by side|4 basic/index#statelessness
base-83|MUST|state over several requests has a name that the client passes|4 basic/index#statelessness
base-84|MUST|the refusal -32021 has HTTP status 400|4 schema#UnsupportedProtocolVersionError;4 schema#MissingRequiredClientCapabilityError;4 schema#HeaderMismatchError
lifecycle-11|MUST|the answer to initialize says the server's capabilities and name|0123 basic/lifecycle#initialization
lifecycle-12|SHOULD|a server sends nothing but pings and logs before initialized|0123 basic/lifecycle#initialization
versioning-1|SHOULD|a modern server that refuses initialize names its versions|4 basic/versioning#backward-compatibility-with-initialization-based-versions
versioning-7|MUST|an unknown version is answered with -32022|4 schema#RequestMetaObject;4 basic/versioning#protocol-version-negotiation
elicitation-4|MUST|a server elicits only in modes of the client's capabilities|34 client/elicitation#capabilities
elicitation-9|MUST|a server elicits with a message and what the mode needs|34 client/elicitation#elicitation-requests
elicitation-12|MUST|a server refuses a request that waits for an elicitation by URL with -32042|3 client/elicitation#error-handling
elicitation-13|MUST|a question may be declined, cancelled or fail, and the handler is told|4 client/elicitation#error-handling
elicitation-14|MUST|a server's form has mode form or none, a message and a schema|34 client/elicitation#form-mode-elicitation-requests
elicitation-16|MUST|no secret is asked for by a form|34 client/elicitation#form-mode-security;234 client/elicitation#user-interaction-model;2 client/elicitation#security-considerations
elicitation-17|SHOULD|a server checks a form's answers against its schema|34 client/elicitation#form-mode-security
elicitation-18|SHOULD|users are identified by sound practice|34 client/elicitation#identifying-the-user
elicitation-19|MUST|a server takes the user only from credentials|34 client/elicitation#identifying-the-user
elicitation-20|MUST|the URL cannot be changed to pose as another user|34 client/elicitation#phishing
elicitation-21|MUST|the server verifies which user opens the URL|34 client/elicitation#phishing
elicitation-22|MUST|the user who was asked is the user who completes the flow|34 client/elicitation#phishing
elicitation-26|MUST|no data of the user is in the URL|34 client/elicitation#safe-url-handling
elicitation-43|MUST|the user comes from the credentials of the connection|34 client/elicitation#statefulness
elicitation-44|MUST|state kept over a question belongs to its user|34 client/elicitation#statefulness
elicitation-45|MUST|a server binds state not only to a session id|3 client/elicitation#statefulness
elicitation-46|MUST|nobody else can read or change the state|34 client/elicitation#statefulness
elicitation-47|MUST|credentials obtained by URL do not go to the client|34 client/elicitation#understanding-the-distinction
elicitation-48|MUST|the client's token is not passed on to others|34 client/elicitation#understanding-the-distinction
elicitation-49|MUST|credentials of third parties do not pass through the client|34 client/elicitation#understanding-the-distinction
elicitation-50|MUST|the user authorizes the server directly|34 client/elicitation#understanding-the-distinction
elicitation-51|MUST|the error -32042 lists elicitations by URL, each with an id|3 client/elicitation#url-elicitation-required-error
elicitation-52|MUST|the error -32042 lists what must be completed|3 client/elicitation#url-elicitation-required-error
elicitation-53|MUST|the error -32042 is for nothing else|3 client/elicitation#url-elicitation-required-error
elicitation-54|MUST|a server does not log its own users in by an elicitation|34 client/elicitation#url-mode-elicitation-for-oauth-flows
elicitation-55|MUST|the URL of an elicitation is a URL|34 client/elicitation#url-mode-elicitation-requests
elicitation-56|MUST|a server elicits by URL with mode, message and URL|34 client/elicitation#url-mode-elicitation-requests
elicitation-60|MUST|secrets are asked for by URL only|34 client/elicitation#user-interaction-model
roots-11|SHOULD|roots need the client's capability|01234 client/roots#implementation-guidelines
roots-12|SHOULD|a server that hears of changed roots changes nothing else|0123 client/roots#implementation-guidelines
sampling-4|SHOULD|includeContext is used only with clients that declare it|34 schema#CreateMessageRequestParams;34 schema#ClientCapabilities;34 client/sampling#capabilities
sampling-9|MUST|a sampling message has a role and content|4 client/sampling#messages
sampling-22|MUST|tools for sampling need the client's capability|34 client/sampling#tools-in-sampling
caching-4|MUST|a complete prompts/list says how long and for whom it may be cached|4 server/utilities/caching#cacheable-results
caching-5|MUST|a complete resources/list says how long and for whom it may be cached|4 server/utilities/caching#cacheable-results
caching-6|MUST|a complete resources/read says how long and for whom it may be cached|4 server/utilities/caching#cacheable-results
caching-7|MUST|a complete resources/templates/list says how long and for whom it may be cached|4 server/utilities/caching#cacheable-results
caching-8|MUST|a complete server/discover says how long and for whom it may be cached|4 server/utilities/caching#cacheable-results
caching-9|MUST|a complete tools/list says how long and for whom it may be cached|4 server/utilities/caching#cacheable-results
caching-14|MUST|the scope of the first page is that of every page|4 server/utilities/caching#interaction-with-pagination
caching-23|MUST|a server sends a lifetime that is a number of 0 or more|4 server/utilities/caching#time-to-live-ttl-field
cancellation-2|MUST|a server that ends a subscription sends notifications/cancelled for it|4 basic/patterns/cancellation
cancellation-3|MUST|a server sends notifications/cancelled for nothing but a subscription|4 schema#CancelledNotification;4 basic/patterns/cancellation#behavior-requirements;4 basic/patterns/cancellation
cancellation-24|MUST|over HTTP a client that hangs up has cancelled the request|4 basic/transports/streamable-http#cancellation;4 basic/patterns/cancellation#transport-specific-cancellation
mrtr-1|MUST|a modern server asks only by an input-required result|4 basic/patterns/mrtr
mrtr-8|SHOULD|unknown members of the input responses are ignored|4 basic/patterns/mrtr#error-handling
mrtr-9|SHOULD|a missing input response is asked for again|4 basic/patterns/mrtr#error-handling
mrtr-10|SHOULD|errors of the protocol are answered as errors|4 basic/patterns/mrtr#error-handling
mrtr-11|SHOULD|input responses are checked|4 basic/patterns/mrtr#error-handling
mrtr-12|MUST|requestState is treated as an attacker's|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-13|MUST|requestState is sealed, and refused where the seal does not hold|4 basic/patterns/mrtr#server-requirements-basic-workflow;4 basic/patterns/mrtr#security-considerations
mrtr-14|MUST|a server does not count on a retry|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-15|MUST|a server asks nothing that the client has not declared|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-16|MUST|a server's input_required result has inputRequests or requestState|4 schema#InputRequiredResult;4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-17|MUST|a requestState that may be used once is remembered by the server|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-18|SHOULD|a sealed requestState runs out|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-19|SHOULD|a sealed requestState belongs to its method and parameters|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-20|SHOULD|a sealed requestState belongs to its user|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-21|MUST|the keys of questions are unique in a request|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-22|MUST|a server's input requests are elicitations, sampling or roots|4 basic/patterns/mrtr#server-requirements-basic-workflow
mrtr-23|MUST|a server asks only in calls, prompts and reads|4 basic/patterns/mrtr#supported-requests
pagination-1|SHOULD|an invalid cursor is -32602|01234 server/utilities/pagination#implementation-guidelines;01234 server/utilities/pagination#error-handling
pagination-7|SHOULD|a cursor holds while the list grows|01234 server/utilities/pagination#implementation-guidelines
progress-10|SHOULD|the message of progress is for people|4 basic/patterns/progress#progress-flow;123 basic/utilities/progress#progress-flow
subscriptions-2|MUST|the acknowledgement is the first on a subscription|4 schema#SubscriptionsAcknowledgedNotification;4 basic/patterns/subscriptions#acknowledgment
subscriptions-3|SHOULD|a server that ends a subscription answers it|4 basic/patterns/subscriptions#graceful-closure;4 basic/patterns/subscriptions#cancellation
subscriptions-5|MUST|only notifications that were asked for are sent|4 schema#SubscriptionsListenRequestParams;4 schema#SubscriptionFilter;4 basic/patterns/subscriptions#opening-a-stream
schema-1|SHOULD|a failure in a tool is a result with isError|01234 schema#CallToolResult
schema-5|MUST|ids of elicitations are unique in the server|3 schema#ElicitRequestURLParams
schema-14|MUST|a tool result names its tool use|34 schema#ToolResultContent
completion-1|MUST|a server with completions declares the capability|1234 server/utilities/completion#capabilities
completion-2|SHOULD|an unexpected failure in a completion is -32603|1234 server/utilities/completion#error-handling
completion-3|SHOULD|completion for an unknown prompt is -32602|1234 server/utilities/completion#error-handling
completion-4|SHOULD|completion at a server without the capability is -32601|1234 server/utilities/completion#error-handling
completion-5|SHOULD|completion without its arguments is -32602|1234 server/utilities/completion#error-handling
completion-10|MUST|the author limits the rate of completions|01234? server/utilities/completion#implementation-considerations;01234 server/utilities/completion#security
completion-12|MUST|the parameters of a completion are checked|01234? server/utilities/completion#implementation-considerations;01234 server/utilities/completion#security
logging-2|MUST|a server that logs declares it|01234 server/utilities/logging#capabilities
logging-3|SHOULD|an internal error while logging is -32603|01234 server/utilities/logging#error-handling
logging-4|SHOULD|an unknown log level in a request is -32602|4 server/utilities/logging#error-handling
logging-5|SHOULD|logging/setLevel with an unknown level is -32602|0123 server/utilities/logging#error-handling
logging-6|SHOULD|log messages say what they are about|01234 server/utilities/logging#implementation-considerations
logging-7|SHOULD|the author limits the rate of log messages|01234 server/utilities/logging#security;01234 server/utilities/logging#implementation-considerations
logging-8|MUST|the author keeps secrets out of log messages|01234? server/utilities/logging#implementation-considerations;01234 server/utilities/logging#security
logging-9|SHOULD|loggers have steady names|01234 server/utilities/logging#implementation-considerations
logging-10|MUST|without a level in the request a server logs nothing to the client|4 server/utilities/logging#per-request-log-level;4 schema#RequestMetaObject;4 changelog#major-changes
logging-11|MUST|log messages go on the stream of their request, never on a subscription|4 server/utilities/logging#per-request-log-level
logging-12|SHOULD|access to stored logs is controlled|01234 server/utilities/logging#security
logging-13|SHOULD|logs are watched for secrets|01234 server/utilities/logging#security
logging-14|SHOULD|the author checks what is logged|01234 server/utilities/logging#security
prompts-1|MUST|audio is base64 with a type|1234 server/prompts#audio-content
prompts-2|MUST|prompts/list lists what there is for the caller|4 server/prompts#capabilities
prompts-3|MUST|a server with prompts declares them|01234 server/prompts#capabilities
prompts-4|MUST|prompts do not differ from connection to connection|4 server/prompts#capabilities
prompts-5|MUST|an embedded resource has a URI|01234 server/prompts#embedded-resources
prompts-6|MUST|an embedded resource has a text or a blob|01234 server/prompts#embedded-resources
prompts-7|MUST|an embedded resource has a type|01234 server/prompts#embedded-resources
prompts-8|SHOULD|an unexpected failure in a prompt is -32603|01234 server/prompts#error-handling
prompts-9|SHOULD|an unknown prompt is -32602|01234 server/prompts#error-handling
prompts-10|SHOULD|a prompt without its required arguments is -32602|01234 server/prompts#error-handling
prompts-11|MUST|images are base64 with a type|01234 server/prompts#image-content
prompts-13|SHOULD|the arguments of a prompt are checked|01234 server/prompts#implementation-considerations
prompts-14|SHOULD|a change of prompts is told to subscriptions that asked for it|4 server/prompts#list-changed-notification
prompts-15|SHOULD|a change of prompts is told to clients that were told of the capability|0123 server/prompts#list-changed-notification
resources-1|MUST|resources/list lists what there is for the caller|4 server/resources#capabilities
resources-2|MUST|a server with resources declares them|01234 server/resources#capabilities
resources-3|MUST|resources do not differ from connection to connection|4 server/resources#capabilities
resources-4|MUST|URIs of resources have a scheme as RFC 3986 has it|234 server/resources#custom-uri-schemes
resources-5|MUST|an unknown resource is -32602 (modern)|4 server/resources#error-handling
resources-6|MUST|an unknown resource is not an empty result|4 server/resources#error-handling
resources-7|SHOULD|an unexpected failure in a resource is -32603|01234 server/resources#error-handling
resources-8|SHOULD|an unknown resource is -32002 (until 2025-11-25)|0123 server/resources#error-handling
resources-9|SHOULD|https is only for what the client can fetch itself|01234 server/resources#https
resources-10|SHOULD|a change of resources is announced|01234 server/resources#list-changed-notification
tools-1|SHOULD|a server lists its tools in a steady order|4 server/tools#capabilities;4 changelog#minor-changes
tools-2|MUST|tools/list lists what there is for the caller|4 server/tools#capabilities
tools-3|MUST|a server with tools declares them|01234 server/tools#capabilities
tools-4|MUST|tools do not differ from connection to connection|4 server/tools#capabilities
tools-5|SHOULD|a server that embeds resources has resources|234 server/tools#embedded-resources
tools-7|SHOULD|a change of tools is told to subscriptions that asked for it|4 server/tools#list-changed-notification
tools-8|SHOULD|a change of tools is told to clients that were told of the capability|0123 server/tools#list-changed-notification
tools-10|MUST|a server's structured results fit the tool's schema|234 server/tools#output-schema
tools-19|SHOULD|structured content comes as text as well|234 server/tools#structured-content
tools-21|MUST|a tool's input schema is a schema|34 server/tools#tool
tools-23|SHOULD|a tool's name has letters, digits, _, - and . only|34 server/tools#tool-names
tools-25|SHOULD|a tool's name has 1 to 128 characters|34 server/tools#tool-names
tools-26|SHOULD|a server tells names of tools apart by case|34 server/tools#tool-names
tools-27|SHOULD|a server registers only one tool of a name|34 server/tools#tool-names
tools-32|SHOULD|secrets are not mirrored in headers|4 server/tools#x-mcp-header
tasks-61|MUST|a server without tasks treats a call as a task like a plain call|3 basic/utilities/tasks#task-support-and-handling
stdio-4|MUST|a server writes nothing but messages on stdout|4 basic/transports/stdio;0123 basic/transports#stdio
stdio-8|MUST|after a cancellation no message of the request follows|4 basic/transports/streamable-http#cancellation;4 basic/transports/stdio#cancellation
stdio-10|SHOULD|a server exits when its input ends|4 basic/transports/stdio#shutdown
streamable-http-1|MUST|one path takes POST|4 basic/transports/streamable-http
streamable-http-10|SHOULD|a modern server ignores Last-Event-ID|4 basic/transports/streamable-http#earlier-streamable-http-revisions
streamable-http-11|SHOULD|a modern server ignores Mcp-Session-Id and makes none|4 basic/transports/streamable-http#earlier-streamable-http-revisions
streamable-http-12|SHOULD|a modern server answers GET and DELETE with 405|4 basic/transports/streamable-http#earlier-streamable-http-revisions
streamable-http-14|MUST|a modern server refuses a request without MCP-Protocol-Version|4 basic/transports/streamable-http#protocol-version-header
streamable-http-16|MUST|an unknown method is -32601 with status 404|4 basic/transports/streamable-http#protocol-version-header
streamable-http-17|MUST|an unknown version is -32022 with status 400|4 basic/transports/streamable-http#protocol-version-header
streamable-http-18|MUST|an MCP-Protocol-Version that differs from the body is -32020 with status 400|4 basic/transports/streamable-http#protocol-version-header
streamable-http-20|SHOULD|the stream ends with its response|4 basic/transports/streamable-http#receiving-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-21|MUST|notifications on a request's stream belong to it|4 basic/transports/streamable-http#receiving-messages;123? basic/transports#sending-messages-to-the-server
streamable-http-22|SHOULD|a stream asks proxies not to buffer|4 basic/transports/streamable-http#receiving-messages
streamable-http-32|MUST|a foreign Origin is refused with 403|4 basic/transports/streamable-http#security-endpoint;3 basic/transports#security-warning
streamable-http-33|MUST|the Origin of each request is checked|4 basic/transports/streamable-http#security-endpoint;0123 basic/transports#security-warning
streamable-http-34|SHOULD|connections are authenticated|4 basic/transports/streamable-http#security-endpoint;0123 basic/transports#security-warning
streamable-http-35|SHOULD|a local server binds to localhost only|4 basic/transports/streamable-http#security-endpoint;0123 basic/transports#security-warning
streamable-http-37|MUST|a request is answered with JSON or an event stream|4 basic/transports/streamable-http#sending-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-38|MUST|an accepted notification is answered with 202 and no body|4 basic/transports/streamable-http#sending-messages
streamable-http-39|MUST|an unacceptable message gets an HTTP error|4 basic/transports/streamable-http#sending-messages;123 basic/transports#sending-messages-to-the-server
streamable-http-44|MUST|a server compares decoded headers with the body|4 basic/transports/streamable-http#value-encoding;4 basic/transports/streamable-http#server-validation;4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-46|MUST|a header mismatch is -32020 with status 400|4 basic/transports/streamable-http#server-validation;4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-47|MUST|a mirrored header with invalid characters is refused|4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-55|MUST|headers that differ from the body are refused|4 basic/transports/streamable-http#server-validation
streamable-http-56|SHOULD|integers in headers are compared as numbers|4 basic/transports/streamable-http#server-validation
transports-2|SHOULD|a GET stream that is closed early says when to reconnect|3 basic/transports#listening-for-messages-from-the-server
transports-4|MUST|a server sends no response on a GET stream but a resumed one|123 basic/transports#listening-for-messages-from-the-server
transports-5|MUST|GET is answered with an event stream or 405|123 basic/transports#listening-for-messages-from-the-server
transports-6|SHOULD|messages on a GET stream belong to no request|123 basic/transports#listening-for-messages-from-the-server
transports-7|MUST|a message goes on one stream only|123 basic/transports#multiple-connections
transports-8|SHOULD|without a version header the server takes 2025-03-26|23 basic/transports#protocol-version-header
transports-9|MUST|a bad version header is answered with 400|23 basic/transports#protocol-version-header
transports-11|SHOULD|an event id says which stream it is of|3 basic/transports#resumability-and-redelivery
transports-12|MUST|an event id is unique in its session|123 basic/transports#resumability-and-redelivery
transports-14|MUST|only events of the stream that Last-Event-ID names are replayed|123 basic/transports#resumability-and-redelivery
transports-19|SHOULD|a broken stream is no cancellation (legacy)|123 basic/transports#sending-messages-to-the-server
transports-20|MUST|an accepted notification or response is answered with 202 and no body|123 basic/transports#sending-messages-to-the-server
transports-21|SHOULD|a stream that is closed early says when to reconnect|3 basic/transports#sending-messages-to-the-server
transports-22|SHOULD|a stream brings the response to its request|123 basic/transports#sending-messages-to-the-server
transports-28|SHOULD|a POST's stream is not closed before its responses|12 basic/transports#sending-messages-to-the-server
transports-29|SHOULD|a stream begins with an empty event with an id|3 basic/transports#sending-messages-to-the-server
transports-33|SHOULD|a request without Mcp-Session-Id is answered with 400|123 basic/transports#session-management
transports-35|MUST|an unknown session (Mcp-Session-Id) is answered with 404|123 basic/transports#session-management
transports-36|MUST|a session id (Mcp-Session-Id) is visible ASCII|123 basic/transports#session-management
transports-37|SHOULD|a session id (Mcp-Session-Id) cannot be guessed|123 basic/transports#session-management
transports-39|MUST|one path takes POST and GET|123 basic/transports#streamable-http
`;
