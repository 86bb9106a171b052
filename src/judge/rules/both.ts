// Written by scripts/judge-rules.mjs from the matrix; not to be edited. `id|level|rule|sections`: each digit of a section is a revision.
export const bothRules: string = `
authorization-11|MUST|the metadata names an authorization server|4 basic/authorization/authorization-server-discovery#authorization-server-location;23 basic/authorization#authorization-server-location
authorization-12|MUST|the OAuth metadata URL has the path of the issuer inserted|4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery;3 basic/authorization#authorization-server-metadata-discovery
authorization-13|MUST|one OpenID metadata URL has the path of the issuer appended|4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery;3 basic/authorization#authorization-server-metadata-discovery
authorization-14|MUST|one OpenID metadata URL has the path of the issuer inserted|4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery;3 basic/authorization#authorization-server-metadata-discovery
authorization-15|MUST|without a path in the issuer, OAuth metadata is read first|4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery;3 basic/authorization#authorization-server-metadata-discovery
authorization-16|MUST|without a path in the issuer, OpenID metadata is read next|4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery;3 basic/authorization#authorization-server-metadata-discovery
authorization-17|MUST|a client tries the well-known addresses in their order|4 basic/authorization/index#overview;4 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery;3 basic/authorization#authorization-server-metadata-discovery;123 basic/authorization#overview;12 basic/authorization#server-metadata-discovery;1 basic/authorization#fallbacks-for-servers-without-metadata-discovery;1 basic/authorization#authorization-base-url
authorization-18|SHOULD|the resource is named without a trailing slash, unless its owner writes one|4 basic/authorization/index#canonical-server-uri;23 basic/authorization#canonical-server-uri
authorization-20|SHOULD|scheme and host of the resource are taken in any case|4 basic/authorization/index#canonical-server-uri;23 basic/authorization#canonical-server-uri
authorization-27|MUST|endpoints of the authorization server are https|4 basic/authorization/security-considerations#communication-security;23 basic/authorization#communication-security;1 basic/authorization#security-considerations
authorization-29|MUST|tokens travel over TLS only|4 basic/authorization/security-considerations#communication-security;23 basic/authorization#communication-security
authorization-35|MUST|an authorization server checks redirect URIs by the document|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-36|MUST|an authorization server checks the id in the document|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-37|MUST|an authorization server checks the document|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-38|SHOULD|an authorization server caches documents|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-39|SHOULD|an authorization server fetches documents|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-41|MUST|a metadata document has an id, a name and redirect URIs|4 basic/authorization/client-registration#implementation-requirements;3 basic/authorization#implementation-requirements
authorization-42|MUST|an authorization server shows the host of the redirect|4 basic/authorization/security-considerations#localhost-redirect-uri-risks;3 basic/authorization#localhost-redirect-uri-risks
authorization-43|SHOULD|an authorization server warns of localhost|4 basic/authorization/security-considerations#localhost-redirect-uri-risks;3 basic/authorization#localhost-redirect-uri-risks
authorization-64|MUST|other transports have their own good practice|4 basic/authorization/index#protocol-requirements;123 basic/authorization#protocol-requirements
authorization-65|SHOULD|over HTTP both sides follow this authorization|4 basic/authorization/index#protocol-requirements;1234 basic/index#auth;123 basic/authorization#protocol-requirements
authorization-66|SHOULD|over stdio credentials come from the environment|4 basic/authorization/index#protocol-requirements;123 basic/authorization#protocol-requirements
authorization-67|MUST|the resource is the canonical URI of the server|4 basic/authorization/index#resource-parameter-implementation;23 basic/authorization#resource-parameter-implementation
authorization-77|MUST|the good practice of OAuth 2.1 is followed|4 basic/authorization/security-considerations;23 basic/authorization#security-considerations;1 basic/authorization#implementation-requirements
authorization-83|MUST|both sides use tokens as OAuth 2.1 section 5 has it|4 basic/authorization/index#token-requirements;123 basic/authorization#token-requirements
authorization-84|MUST|no token is in a URL|4 basic/authorization/index#token-requirements;123 basic/authorization#token-requirements
authorization-86|MUST|every request has its token|4 basic/authorization/index#token-requirements;123 basic/authorization#token-requirements
authorization-88|MUST|tokens are stored safely|4 basic/authorization/security-considerations#token-theft;23 basic/authorization#token-theft;1 basic/authorization#security-considerations
elicitation-36|SHOULD|both sides check the content of a form|2 client/elicitation#security-considerations
authorization-97|MUST|a later revision makes iss a MUST|4 basic/authorization/index#authorization-response-validation
authorization-110|MUST|authorization is secure as a whole|4 basic/authorization/security-considerations;4 basic/authorization/index#security-considerations
sampling-13|SHOULD|client and host bound loops of tools|34 client/sampling#security-considerations
sampling-14|SHOULD|messages of sampling are checked on both sides|01234 client/sampling#security-considerations
authorization-113|SHOULD|a client without an id registers|12 basic/authorization#overview;12 basic/authorization#dynamic-client-registration
deprecated-1|SHOULD|deprecated features are not newly adopted|4 deprecated
discover-2|SHOULD|no party trusts the name of a server, or acts on it|4 server/discover#discoverresult
base-1|MUST|the base protocol and the lifecycle are there|123 basic/index;0 basic/index#protocol-layers
base-2|MUST|the base protocol, versions and message patterns are there|4 basic/index
base-3|MUST|in the modern era servers send no requests and clients no responses|4 basic/transports/streamable-http#sending-messages;4 basic/transports/streamable-http#receiving-messages;4 basic/transports/stdio#sending-messages;4 basic/transports/stdio#receiving-messages;4 basic/patterns/index
base-6|MUST|neither side assumes anything of reserved keys of _meta|4 schema#MetaObject;234 basic/index#_meta
base-10|MUST|the prefix of a _meta key is labels joined by dots, then a slash|4 schema#MetaObject;234 basic/index#_meta
base-11|SHOULD|no party trusts the name of a client or a server, or acts on it|4 schema#ResultMetaObject;4 schema#RequestMetaObject;4 basic/index#_meta
base-12|SHOULD|prefixes are reversed host names|4 schema#MetaObject;34 basic/index#_meta
base-13|MUST|a label begins with a letter and ends with a letter or digit|4 schema#MetaObject;234 basic/index#_meta
base-17|MUST|the name of a _meta key begins and ends with a letter or digit|4 schema#MetaObject;234 basic/index#_meta
base-18|MUST|trace keys have the format of W3C|4 basic/index#_meta
base-19|MUST|batches are understood (2025-03-26)|1 basic/index#batching
base-20|SHOULD|schemas are bounded as they are read, and in work|4 basic/index#composition-keyword-resource-use
base-21|SHOULD|the author of a custom transport documents it|4 basic/transports/index#custom-transports;0123 basic/transports#custom-transports
base-22|SHOULD|a transport on a byte stream takes the framing of stdio|4 basic/transports/stdio;4 basic/transports/index#custom-transports
base-23|MUST|a custom transport keeps messages, patterns and _meta|4 basic/transports/index#custom-transports;0123 basic/transports#custom-transports
base-24|MUST|no meaning is read into codes of the server range|4 basic/index#error-codes
base-26|MUST|a server sends codes of the reserved range only as the specification defines them|4 basic/index#error-codes
base-27|MUST|a server sends no error -32002 in the modern era|4 basic/index#error-codes
base-28|MUST|a server sends no error -32042 in the modern era|4 basic/index#error-codes
base-29|MUST|no new codes are made in the reserved range|4 basic/index#error-codes
base-30|SHOULD|a peer's own codes are outside the reserved range|4 basic/index#error-codes
base-31|MUST|an error's code is an integer|34 basic/index#error-responses;12 basic/index#responses;0 basic/messages#responses
base-32|MUST|an error has a code and a message|34 basic/index#error-responses;12 basic/index#responses
base-33|MUST|an error has the id of its request, where that could be read|34 basic/index#error-responses
base-40|MUST|some types of icons may be refused|34 basic/index#icons
base-43|MUST|icons are shown with care for scripts in them|34? schema#Icon;34 basic/index#icons
base-45|MUST|only listed types of icons are shown|34 basic/index#icons
base-47|MUST|the type of an icon is checked by its content|34 basic/index#icons
base-49|SHOULD|hosts ask for consent|01234 index#implementation-guidelines
base-50|SHOULD|hosts think of privacy|01234 index#implementation-guidelines
base-51|SHOULD|hosts follow good practice|01234 index#implementation-guidelines
base-52|SHOULD|hosts control access|01234 index#implementation-guidelines
base-53|SHOULD|hosts document their security|01234 index#implementation-guidelines
base-54|MUST|a schema without a dialect is 2020-12|34 basic/index#implementation-requirements
base-55|MUST|schemas are judged by their dialect|34 basic/index#implementation-requirements
base-56|SHOULD|the dialects that are supported are documented|34 basic/index#implementation-requirements
base-57|MUST|an unsupported dialect is refused by name|34 basic/index#implementation-requirements
base-58|MUST|each transport sends requests, notifications and responses its own way|4 basic/transports/index#messages
base-59|MUST|messages are JSON-RPC 2.0|1234 basic/index#messages;0 basic/messages;0 basic/index
base-60|MUST|messages are UTF-8|4 basic/transports/index#messages;123 basic/transports
base-61|MUST|a notification has no id|1234 basic/index#notifications;0 basic/messages#notifications
base-62|MUST|a notification is not answered|1234 basic/index#notifications
base-63|MUST|references to the network are not fetched, also not by option|4? server/tools#security-considerations;4 basic/index#ref-resolution
base-64|SHOULD|a schema whose reference leads nowhere is refused|4 basic/index#ref-resolution
base-65|MUST|a request has a string or an integer as its id|1234 basic/index#requests;0 basic/messages#requests
base-66|MUST|an id is used once in a session|123 basic/index#requests;0 basic/messages#requests
base-67|MUST|two requests in flight have different ids|4 basic/index#requests
base-68|MUST|a request's id is not null|1234 basic/index#requests;0 basic/messages#requests
base-69|MUST|a response has a result or an error, not both|12 basic/index#responses;0 basic/messages#responses
base-70|MUST|a response has the id of its request|34 basic/index#result-responses;12 basic/index#responses;0 basic/messages#responses
base-71|MUST|a result response has a result|34 basic/index#result-responses
base-75|MUST|types of results are those of the protocol and of negotiated extensions|4 basic/index#resulttype
base-76|SHOULD|schemas are of 2020-12|34 basic/index#schema-dialect
base-77|MUST|2020-12 is supported, and the documents say what else is|34 basic/index#schema-dialect
lifecycle-1|SHOULD|both sides report a failed negotiation of capabilities|0123 basic/lifecycle#error-handling
lifecycle-2|SHOULD|a client gives initialize a timeout|0 basic/lifecycle#error-handling
lifecycle-3|SHOULD|a client reports a version mismatch|0123 basic/lifecycle#error-handling
lifecycle-4|SHOULD|closing has a timeout|0 basic/lifecycle#error-handling
lifecycle-9|MUST|initialize is the first request|0123 basic/lifecycle#initialization
lifecycle-13|MUST|only negotiated capabilities are used|23 basic/lifecycle#operation;01? basic/lifecycle#operation;01234? server/prompts#implementation-considerations
lifecycle-14|MUST|both sides send only what the negotiated version has|23 basic/lifecycle#operation;2 changelog#major-changes;01? basic/lifecycle#operation
lifecycle-19|MUST|a server takes the requested version where it has it|0123 basic/lifecycle#version-negotiation
lifecycle-21|MUST|initialize asks for a version that the client has|0123 basic/lifecycle#version-negotiation
lifecycle-22|MUST|a server without the requested version offers another|0123 basic/lifecycle#version-negotiation
lifecycle-23|SHOULD|a client asks for its latest version|0123 basic/lifecycle#version-negotiation
lifecycle-24|SHOULD|a server offers its latest version|0123 basic/lifecycle#version-negotiation
versioning-4|MUST|ids of extensions are _meta keys with a prefix|4 schema#ServerCapabilities;4 schema#ClientCapabilities;4 basic/versioning#extension-negotiation
versioning-5|SHOULD|authors of extensions document how they fall back|4 basic/versioning#extension-negotiation
versioning-6|MUST|an extension that one side lacks is left or refused|4 basic/versioning#extension-negotiation
elicitation-6|MUST|a completion of an elicitation names its elicitation|3 client/elicitation#completion-notifications-for-url-mode-elicitation
elicitation-7|MUST|a completion of an elicitation goes to the client that was asked|3 client/elicitation#completion-notifications-for-url-mode-elicitation
elicitation-8|SHOULD|a user can retry or cancel where the completion never comes|4 client/elicitation#example-request-sensitive-data;3 client/elicitation#completion-notifications-for-url-mode-elicitation
roots-1|SHOULD|roots are not newly adopted|4 client/roots
sampling-1|SHOULD|sampling is not newly adopted|4 client/sampling
sampling-10|SHOULD|messages of one sampling are not kept for the next|4 client/sampling#messages
cancellation-4|MUST|a sender cancels only a pending request|4 basic/patterns/cancellation#behavior-requirements;01234? schema#CancelledNotification;0123 basic/utilities/cancellation#behavior-requirements
cancellation-5|MUST|a client cancels only its pending requests|4 schema#CancelledNotificationParams;4 basic/patterns/cancellation#behavior-requirements
cancellation-6|MUST|a cancellation means a request that its sender has sent, whatever id the other side uses|3 schema#CancelledNotificationParams;0123 basic/utilities/cancellation#behavior-requirements;012 schema#CancelledNotification
cancellation-7|MUST|a task is cancelled by tasks/cancel, not by notifications/cancelled|3 schema#CancelledNotificationParams;3 basic/utilities/cancellation#behavior-requirements
cancellation-8|SHOULD|the receiver of a cancellation frees what the request held|4 basic/patterns/cancellation#behavior-requirements;0123 basic/utilities/cancellation#behavior-requirements
cancellation-9|SHOULD|a cancelled request is not answered|4 basic/patterns/cancellation#behavior-requirements;0123 basic/utilities/cancellation#behavior-requirements
cancellation-10|SHOULD|the receiver of a cancellation stops the work|4 basic/patterns/cancellation#behavior-requirements;01234 schema#CancelledNotification;0123 basic/utilities/cancellation#behavior-requirements
cancellation-11|SHOULD|a late answer to a cancelled request is dropped|4 basic/patterns/cancellation#behavior-requirements;0123 basic/utilities/cancellation#behavior-requirements
cancellation-12|MUST|initialize is never cancelled|0123 schema#CancelledNotification;0123 basic/utilities/cancellation#behavior-requirements
cancellation-13|SHOULD|a cancellation of a finished request is ignored|4 basic/patterns/cancellation#error-handling;0123 basic/utilities/cancellation#error-handling
cancellation-14|SHOULD|a malformed cancellation is ignored|4 basic/patterns/cancellation#error-handling;0123 basic/utilities/cancellation#error-handling
cancellation-15|SHOULD|a cancellation of an unknown request is ignored|4 basic/patterns/cancellation#error-handling;0123 basic/utilities/cancellation#error-handling
cancellation-17|SHOULD|reasons of cancellations are logged|4 basic/patterns/cancellation#implementation-notes;0123 basic/utilities/cancellation#implementation-notes
cancellation-18|SHOULD|a longest time holds even where progress renews a timeout|4 basic/patterns/cancellation#timeouts;123 basic/lifecycle#timeouts
cancellation-19|SHOULD|every request that is sent has a timeout|4 basic/patterns/cancellation#timeouts;123 basic/lifecycle#timeouts;0123 basic/lifecycle#error-handling
cancellation-20|SHOULD|the timeout can be set for each request|4 basic/patterns/cancellation#timeouts;123 basic/lifecycle#timeouts
cancellation-21|SHOULD|at the timeout the sender cancels the request and stops waiting|4 basic/patterns/cancellation#timeouts;123 basic/lifecycle#timeouts
cancellation-22|MUST|a cancellation that crosses an answer does no harm|4 basic/patterns/cancellation#timing-considerations;0123 basic/utilities/cancellation#timing-considerations
ping-1|MUST|a ping is answered at once with an empty result|0123 basic/utilities/ping#behavior-requirements
ping-2|SHOULD|pings that fail are logged|0123 basic/utilities/ping#error-handling
ping-3|SHOULD|a ping that times out means a lost connection|0123 basic/utilities/ping#error-handling
ping-4|SHOULD|pings are not overdone|0123 basic/utilities/ping#implementation-considerations
ping-5|SHOULD|a connection is pinged from time to time|0123 basic/utilities/ping#implementation-considerations
ping-6|SHOULD|the interval of pings is an option|0123 basic/utilities/ping#implementation-considerations
ping-7|SHOULD|the timeout of a ping is an option|0123 basic/utilities/ping#implementation-considerations
progress-1|MUST|a task keeps the progress token of its request|3 basic/utilities/progress#behavior-requirements
progress-2|MUST|progress belongs to a request that runs|4 basic/patterns/progress#behavior-requirements;0123 basic/utilities/progress#behavior-requirements
progress-3|MUST|progress carries a token that a request gave|4 basic/patterns/progress#behavior-requirements;0123 basic/utilities/progress#behavior-requirements
progress-4|MUST|progress of a task ends with the task|3 basic/utilities/progress#behavior-requirements
progress-5|SHOULD|progress is limited in rate|4 basic/patterns/progress#implementation-notes;0123 basic/utilities/progress#implementation-notes
progress-6|SHOULD|tokens of requests in flight are kept|4 basic/patterns/progress#implementation-notes;0123 basic/utilities/progress#implementation-notes
progress-7|MUST|no progress comes after the end|4 basic/patterns/progress#implementation-notes;0123 basic/utilities/progress#implementation-notes
progress-8|MUST|a progress token is a string or an integer|4 basic/patterns/progress#progress-flow;0123 basic/utilities/progress#progress-flow
progress-9|MUST|tokens of requests in flight differ|4 basic/patterns/progress#progress-flow;0123 basic/utilities/progress#progress-flow
progress-11|MUST|progress always grows|4 basic/patterns/progress#progress-flow;0123 basic/utilities/progress#progress-flow
schema-2|MUST|a cancellation names its request|3 schema#CancelledNotificationParams
schema-6|SHOULD|an error's message is one short sentence|34 schema#Error;012 schema#JSONRPCError
schema-7|MUST|an error's id is a string, an integer or absent (null in the three oldest revisions)|34 schema#JSONRPCErrorResponse
schema-11|MUST|a receiver that takes tasks declares it|3 schema#TaskAugmentedRequestParams
schema-13|SHOULD|a tool result in sampling fits the tool's schema|34 schema#ToolResultContent
completion-6|SHOULD|a client may cache completions|01234 server/utilities/completion#implementation-considerations
completion-7|SHOULD|a user interface waits between keystrokes before it asks|01234 server/utilities/completion#implementation-considerations
completion-9|SHOULD|completions may be matched fuzzily|01234 server/utilities/completion#implementation-considerations
completion-11|SHOULD|completions come sorted by relevance|01234 server/utilities/completion#implementation-considerations
completion-13|MUST|sensitive suggestions are protected by the author|01234 server/utilities/completion#security
completion-14|MUST|the author lets completions disclose nothing|01234 server/utilities/completion#security
logging-1|SHOULD|logging is not newly adopted|4 server/utilities/logging
prompts-16|MUST|what goes into and comes out of a prompt is checked|01234 server/prompts#security
tasks-1|MUST|a message about a task names it in its metadata|3 basic/utilities/tasks#related-task-metadata;3 basic/utilities/tasks#input-required-status;3 basic/utilities/tasks#associating-task-related-messages
tasks-2|MUST|a question of a task names the task|3 basic/utilities/tasks#associating-task-related-messages
tasks-3|MUST|tasks/get, result and cancel go by the taskId parameter|3 basic/utilities/tasks#associating-task-related-messages
tasks-4|MUST|tasks/get, result and cancel carry no related-task metadata, and it is ignored|3 basic/utilities/tasks#associating-task-related-messages
tasks-5|SHOULD|answers to tasks/get, list and cancel carry no related-task metadata|3 basic/utilities/tasks#related-task-metadata;3 basic/utilities/tasks#associating-task-related-messages
tasks-6|SHOULD|logs of tasks name the user|3 basic/utilities/tasks#audit-and-logging
tasks-7|SHOULD|tasks are logged for an audit|3 basic/utilities/tasks#audit-and-logging
tasks-8|SHOULD|suspicious requests for tasks are watched|3 basic/utilities/tasks#audit-and-logging
tasks-9|SHOULD|requestors log their tasks|3 basic/utilities/tasks#audit-and-logging
tasks-10|SHOULD|requestors keep track of their tasks|3 basic/utilities/tasks#audit-and-logging
tasks-11|MUST|a receiver of tasks declares the capability|3 basic/utilities/tasks#capabilities
tasks-13|SHOULD|a requestor polls on while it waits for a result|3 basic/utilities/tasks#getting-tasks
tasks-14|SHOULD|a requestor polls until the task ends or needs input|3 basic/utilities/tasks#task-status-notification;3 basic/utilities/tasks#getting-tasks
tasks-15|SHOULD|a requestor keeps to the poll interval|3 basic/utilities/tasks#ttl-and-resource-management;3 basic/utilities/tasks#getting-tasks
tasks-16|MUST|tasks keep to the rules of HTTP|3 basic/utilities/tasks#retrieving-task-results;3 basic/utilities/tasks#input-required-status;3 basic/utilities/tasks#getting-tasks
tasks-17|SHOULD|a requestor takes the messages of its task on any stream|3 basic/utilities/tasks#input-required-status
tasks-18|SHOULD|after its input a task continues|3 basic/utilities/tasks#input-required-status
tasks-19|SHOULD|a requestor calls tasks/result when input is wanted|3 basic/utilities/tasks#input-required-status
tasks-20|SHOULD|a task that waits for its requestor says input_required|3 basic/utilities/tasks#input-required-status
tasks-21|SHOULD|tasks/get is answered without a stream|3 basic/utilities/tasks#input-required-status
tasks-22|MUST|cancelling a finished task is -32602|3 basic/utilities/tasks#task-cancellation;3 basic/utilities/tasks#protocol-errors
tasks-23|MUST|an unexpected failure of tasks is -32603|3 basic/utilities/tasks#protocol-errors
tasks-24|MUST|a receiver refuses an invalid cursor with -32602|3 basic/utilities/tasks#protocol-errors
tasks-25|MUST|a receiver answers an unknown task with -32602|3 basic/utilities/tasks#protocol-errors
tasks-26|SHOULD|errors of tasks say why|3 basic/utilities/tasks#protocol-errors
tasks-27|MUST|the answer to tasks/result names its task|3 basic/utilities/tasks#related-task-metadata
tasks-28|SHOULD|a store removes expired tasks|3 basic/utilities/tasks#resource-management
tasks-29|SHOULD|the most tasks of a user are documented|3 basic/utilities/tasks#resource-management
tasks-30|SHOULD|the longest time of a task is documented|3 basic/utilities/tasks#resource-management
tasks-31|SHOULD|tasks of one user are bounded|3 basic/utilities/tasks#resource-management
tasks-32|SHOULD|the time of a task is bounded|3 basic/utilities/tasks#resource-management
tasks-33|SHOULD|resources of tasks are watched|3 basic/utilities/tasks#resource-management
tasks-34|MUST|tasks/result gives the result of the plain request|3 basic/utilities/tasks#task-execution-errors;3 basic/utilities/tasks#result-retrieval
tasks-35|MUST|a receiver answers a request as a task with the task|3 basic/utilities/tasks#result-retrieval
tasks-36|SHOULD|a receiver answers with the task at once|3 basic/utilities/tasks#result-retrieval
tasks-37|MUST|tasks/result waits for the end|3 basic/utilities/tasks#result-retrieval
tasks-38|MUST|a cancelled task stays cancelled|3 basic/utilities/tasks#task-cancellation
tasks-39|SHOULD|a cancelled task may go at any time|3 basic/utilities/tasks#task-cancellation
tasks-40|MUST|a receiver stops the work before it answers tasks/cancel|3 basic/utilities/tasks#task-cancellation
tasks-41|SHOULD|a failed task says what went wrong|3 basic/utilities/tasks#task-execution-errors
tasks-42|MUST|task ids are strings|3 basic/utilities/tasks#task-id-requirements
tasks-43|MUST|task ids are made by the receiver|3 basic/utilities/tasks#task-id-requirements
tasks-44|MUST|task ids are unique|3 basic/utilities/tasks#task-id-requirements
tasks-45|SHOULD|requests for tasks are limited in rate|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-46|MUST|tasks/list lists the caller's tasks only|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-47|SHOULD|tasks/list is offered only where callers are told apart|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-48|MUST|a task of another user is not found|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-49|MUST|task ids cannot be guessed|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-50|SHOULD|the limits of task ids are documented|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-51|MUST|a task belongs to its user|3 basic/utilities/tasks#task-isolation-and-access-control
tasks-52|MUST|each task that tasks/get finds is in tasks/list|3 basic/utilities/tasks#task-listing
tasks-53|MUST|tasks/list has a cursor while there are more|3 basic/utilities/tasks#task-listing
tasks-54|SHOULD|a receiver gives tasks/list in pages|3 basic/utilities/tasks#task-listing
tasks-55|MUST|a requestor does not wait for status notifications|3 basic/utilities/tasks#task-status-notification;3 basic/utilities/tasks#task-notifications
tasks-56|SHOULD|status notifications carry no related-task metadata|3 basic/utilities/tasks#task-notifications
tasks-57|MUST|from input_required a task goes on or ends|3 basic/utilities/tasks#task-status-lifecycle
tasks-58|MUST|from working a task asks or ends|3 basic/utilities/tasks#task-status-lifecycle
tasks-59|MUST|a task begins working|3 basic/utilities/tasks#task-status-lifecycle
tasks-60|MUST|an ended task does not change|3 basic/utilities/tasks#task-status-lifecycle
tasks-64|MUST|a server refuses a plain call of a tool that requires a task with -32601|3 basic/utilities/tasks#tool-level-negotiation
tasks-65|SHOULD|a server refuses a task of a tool that allows none with -32601|3 basic/utilities/tasks#tool-level-negotiation
tasks-66|MUST|a task says when it was made|3 basic/utilities/tasks#ttl-and-resource-management
tasks-67|MUST|a task says when it last changed|3 basic/utilities/tasks#ttl-and-resource-management
tasks-68|MUST|a task says how long it is kept|3 basic/utilities/tasks#ttl-and-resource-management
stdio-1|MUST|a message is one line and holds no newline|4 basic/transports/stdio;0123 basic/transports#stdio
stdio-5|SHOULD|the framing of stdio serves other streams too|4 basic/transports/stdio
streamable-http-3|MUST|header names are compared without regard to case|4 basic/transports/streamable-http#case-sensitivity
streamable-http-13|SHOULD|HTTP+SSE is not newly adopted|4 basic/transports/streamable-http#httpsse-transport-2024-11-05
streamable-http-25|MUST|integers in headers are within 2^53|4 server/tools#x-mcp-header;4 basic/transports/streamable-http#schema-extension
streamable-http-48|MUST|a missing header for a value in the body is refused|4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-49|MUST|no header is expected for a parameter that is not there|4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-50|MUST|no header is expected for a parameter that is null|4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-51|MUST|a parameter with a value has its header, and the server compares them|4 basic/transports/streamable-http#server-behavior-for-custom-headers
streamable-http-58|MUST|the standard headers are required|4 basic/transports/streamable-http#standard-request-headers
transports-15|MUST|messages go by POST to the given endpoint (2024-11-05)|0 basic/transports#security-warning
transports-16|MUST|there is an endpoint for messages (2024-11-05)|0 basic/transports#security-warning
transports-17|MUST|there is an endpoint for events (2024-11-05)|0 basic/transports#security-warning
transports-18|MUST|the first event tells where to post (2024-11-05)|0 basic/transports#security-warning
`;
