/**
 * The forms of messages: the schema of each revision defines them without MUST or SHOULD. They are rules here because a peer that reads by
 * the schema cannot read a message that breaks them. The rows are like those of server.ts.
 */
export const formRules: string = `
form-initialize|MUST|the result of initialize has the form of the schema|23 schema#initializeresult;01 basic/lifecycle#initialization
form-discover|MUST|the result of server/discover has the form of the schema|4 schema#discoverresult
form-tools-list|MUST|the result of tools/list has the form of the schema|234 schema#listtoolsresult;01 server/tools#listing-tools
form-tools-call|MUST|the result of tools/call has the form of the schema|234 schema#calltoolresult;01 server/tools#calling-tools
form-resources-list|MUST|the result of resources/list has the form of the schema|234 schema#listresourcesresult;01 server/resources#listing-resources
form-templates-list|MUST|the result of resources/templates/list has the form of the schema|234 schema#listresourcetemplatesresult;01 server/resources#resource-templates
form-resources-read|MUST|the result of resources/read has the form of the schema|234 schema#readresourceresult;01 server/resources#reading-resources
form-prompts-list|MUST|the result of prompts/list has the form of the schema|234 schema#listpromptsresult;01 server/prompts#listing-prompts
form-prompts-get|MUST|the result of prompts/get has the form of the schema|234 schema#getpromptresult;01 server/prompts#getting-a-prompt
form-complete|MUST|the result of completion/complete has the form of the schema|234 schema#completeresult;01 server/utilities/completion#requesting-completions
form-progress|MUST|notifications/progress has the form of the schema|234 schema#progressnotification;01 basic/utilities/progress#progress-flow
form-message|MUST|notifications/message has the form of the schema|234 schema#loggingmessagenotification;01 server/utilities/logging#log-message-notifications
form-unknown-method|MUST|a request of an unknown method is answered with the error that its transport has for it|4 basic/index#error-codes;123 basic/index#responses;0 basic/messages#responses
form-unknown-tool|SHOULD|a call of an unknown tool is answered with error -32602|01234 server/tools#error-handling
form-parse-error|SHOULD|text that is not JSON is answered with error -32700, and the server goes on|123 basic/index#responses;0 basic/messages#responses
form-invalid-request|SHOULD|JSON that is no request is answered with error -32600, and the server goes on|123 basic/index#responses;0 basic/messages#responses
`;
