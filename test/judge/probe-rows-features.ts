import { compile } from '../../src/schema/full/index.ts';
import type { ProbeRow } from './probing.ts';
import { about, also, changed, fails, from, gives, instead, where } from './probing.ts';
import type { Call } from './peer.ts';

// The probes of tools, resources, prompts and utilities.

const [old, v25, modern] = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
const silent = instead({ silent: true });
const called = (name: string) => ({ params }: Call): boolean => params['name'] === name;
const block = (text: string) => ({ type: 'text', text });

export const featureRows: readonly ProbeRow[] = [
  {
    probe: 'the list of tools again', version: modern, tools: ['add', 'fail'], asks: ['tools/list'], says: ['tools-2 tools-1'], faults: [
      ['another order', { 'tools/list': from(2, changed(({ tools }) => ({ tools: [...tools as object[]].reverse() }))) }, ['tools-2', '-tools-1: the same order as before: ["add","fail"] <- {"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"annotations… (tools/list)']],
      ['other tools', { 'tools/list': from(2, changed(() => ({ tools: [{ name: 'other' }] }))) }, ['tools-2']],
      ['no list', { 'tools/list': from(2, fails(-32603)) }, ['tools-2']],
      ['never a list', { 'tools/list': fails(-32603) }, []],
      ['a list that is a text', { 'tools/list': changed({ tools: 'x' }) }, ['tools-2 tools-1']],
    ],
  },
  { probe: 'the list of tools again', version: modern, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'the names of tools on all pages', version: v25, tools: ['add', 'fail'], pageSize: 1, asks: ['tools/list', 'tools/list {"cursor":"page-1"}'], says: ['tools-27'], faults: [
      ['the same name on each page', { 'tools/list': changed({ tools: [{ name: 'add', inputSchema: {} }] }) }, ['-tools-27: a name that no other tool has, on whichever page, not "add" <- {"result":{"tools":[{"name":"add","inputSchema":{}}]}} (tools/list)']],
      ['the same name once', { 'tools/list': from(2, changed({ tools: [{ name: 'add', inputSchema: {} }] }), 2) }, ['tools-27']],
      ['the same name the second time only', { 'tools/list': from(4, changed({ tools: [{ name: 'add', inputSchema: {} }] }), 4) }, ['tools-27']],
      ['an error on the last page', { 'tools/list': from(4, fails(-32603)) }, []],
      ['pages without an end', { 'tools/list': changed({ nextCursor: 'page-0' }) }, ['-tools-27: a name that no other tool has, on whichever page, not "add" <- {"result":{"tools":[{"annotations":{"readOnlyHint":true},"name":"add","inputSchema":{"type… (tools/list)']],
      ['a list that is a text', { 'tools/list': changed({ tools: 'x' }) }, ['tools-27']],
    ],
  },
  { probe: 'the names of tools on all pages', version: v25, tools: ['add', 'fail'], asks: [], says: [], faults: [] },
  {
    probe: 'the lists of another connection', version: modern, asks: ['tools/list', 'prompts/list', 'resources/list'], says: ['tools-4 prompts-4 resources-3'], faults: [
      ['other tools', { 'tools/list': from(2, changed({ tools: [] })) }, ['prompts-4 resources-3', '?tools-4: the same as in another process: {"result":{"resultType":"complete","ttlMs":0,"cacheScope":… <- {"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[],"_meta":{"i… (tools/list)']],
      ['other prompts', { 'prompts/list': from(2, changed({ prompts: [] })) }, ['tools-4 resources-3', '?prompts-4: the same as in another process: {"result":{"resultType":"complete","ttlMs":0,"cacheScope":… <- {"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","prompts":[],"_meta":{… (prompts/list)']],
      ['other resources', { 'resources/list': from(2, changed({ resources: [] })) }, ['tools-4 prompts-4', '?resources-3: the same as in another process: {"result":{"resultType":"complete","ttlMs":0,"cacheScope":… <- {"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","resources":[],"_meta"… (resources/list)']],
      ['no list', { 'tools/list': from(2, fails(-32603)) }, ['prompts-4 resources-3']],
      ['never a list', { 'tools/list': fails(-32603) }, ['prompts-4 resources-3']],
    ],
  },
  {
    probe: 'the lists of another connection', version: modern, http: true, asks: ['tools/list', 'tools/list', 'prompts/list', 'prompts/list', 'resources/list', 'resources/list'], says: ['tools-4 prompts-4 resources-3'], faults: [
      ['other tools', { 'tools/list': from(2, changed({ tools: [] }), 2) }, ['prompts-4 resources-3', '-tools-4: the same as on another connection: {"result":{"resultType":"complete","ttlMs":0,"cacheScop… <- {"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[],"_meta":{"i… (tools/list)']],
      ['other tools for all', { 'tools/list': from(2, changed({ tools: [] })) }, ['tools-4 prompts-4 resources-3']],
      ['no list', { 'tools/list': from(3, fails(-32603)) }, ['prompts-4 resources-3']],
    ],
  },
  { probe: 'the lists of another connection', version: modern, capabilities: { tools: {} }, asks: ['tools/list'], says: ['tools-4'], faults: [] },
  {
    probe: 'an unknown tool', version: v25, asks: ['tools/call {"name":"judge-unknown-tool","arguments":{}}'], says: ['form-unknown-tool'], faults: [
      ['a result', { 'tools/call': about('unknown', gives({ content: [] })) }, ['-form-unknown-tool: error -32602 <- {"result":{"content":[]}} (tools/call)']],
      ['a result with isError', { 'tools/call': about('unknown', gives({ content: [], isError: true })) }, ['?form-unknown-tool: error -32602 <- {"result":{"content":[],"isError":true}} (tools/call)']],
      ['another error', { 'tools/call': about('unknown', fails(-32601)) }, ['?form-unknown-tool: error -32602 <- {"error":{"code":-32601,"message":"no"}} (tools/call)']],
      ['an error whose code is a text', { 'tools/call': about('unknown', fails('-32602')) }, ['-form-unknown-tool: error -32602 <- {"error":{"code":"-32602","message":"no"}} (tools/call)']],
      ['no answer', { 'tools/call': about('unknown', silent) }, ['-form-unknown-tool: error -32602 <- no answer in time (tools/call)']],
    ],
  },
  { probe: 'an unknown tool', version: v25, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'arguments that the schema refuses', version: v25, tools: ['add', 'flag', 'fail', 'FLAG', 'mirror', 'roots'], asks: ['tools/call {"name":"add","arguments":{"b":1}} {"meta":{"progressToken":"judge-7"}}', 'tools/call {"name":"flag","arguments":{"on":{"judge":[]}}} {"meta":{"progressToken":"judge-8"}}', 'tools/call {"name":"FLAG","arguments":{"on":{"judge":[]}}} {"meta":{"progressToken":"judge-9"}}', 'tools/call {"name":"mirror","arguments":{}} {"meta":{"progressToken":"judge-10"}}'], says: ['tools-18×4'], faults: [
      ['add takes them', { 'tools/call': where(({ params: { name, arguments: given } }) => name === 'add' && !('a' in (given as object)), gives({ content: [] })) }, ['tools-18×3', '-tools-18: an error, or a result with isError: a is required and missing <- {"result":{"content":[]}} (tools/call)']],
      ['flag takes them', { 'tools/call': about('"judge":[]', gives({ content: [] })) }, ['tools-18×2', '-tools-18×2: an error, or a result with isError: on is an object and must be boolean <- {"result":{"content":[]}} (tools/call)']],
      ['a result with isError', { 'tools/call': about('"judge":[]', gives({ content: [], isError: true })) }, ['tools-18×4']],
      ['no answer', { 'tools/call': about('"judge":[]', silent) }, ['tools-18×2']],
      ['never an answer', { 'tools/call': where(called('add'), silent) }, ['tools-18×3']],
      ['a schema that is a text', { 'tools/list': changed(({ tools }) => ({ tools: (tools as object[]).map((one) => ({ ...one, inputSchema: { properties: 'x', required: 'a' } })) })) }, []],
      ['a schema whose required is a text', { 'tools/list': changed(({ tools }) => ({ tools: (tools as object[]).map((one) => ({ ...one, inputSchema: { properties: { a: 'x', b: { type: 'string' }, c: { type: 'integer' } }, required: [5] } })) })) }, ['tools-18×2', '-tools-18×2: an error, or a result with isError: c is an object and must be integer <- {"result":{"content":[{"type":"text","text":"done"}]}} (tools/call)']],
    ],
  },
  {
    probe: 'arguments that the schema refuses', version: modern, tools: ['flag'], asks: ['tools/call {"name":"flag","arguments":{"on":{"judge":[]}}} {"meta":{"progressToken":"judge-2","io.modelcontextprotocol/logLevel":"debug"}}'], says: ['tools-18'], faults: [
      ['a question', { 'tools/call': about('"judge":[]', gives({ resultType: 'input_required', inputRequests: {} })) }, ['-tools-18: an error, or a result with isError: on is an object and must be boolean <- {"result":{"resultType":"input_required","inputRequests":{}}} (tools/call)']],
      ['another type of result', { 'tools/call': about('"judge":[]', gives({ resultType: 'task' })) }, ['tools-18']],
    ],
  },
  {
    probe: 'structured results', version: v25, tools: ['add', 'slow', 'fail'], options: { compile }, asks: [], says: ['tools-10 tools-19'], faults: [
      ['another sum', { 'tools/call': where(called('add'), changed({ structuredContent: { sum: 'two' } })) }, ['-tools-10: structuredContent that fits the outputSchema {"type":"object","properties":{"sum":{"type":… <- {"result":{"content":[{"type":"text","text":"{\\"sum\\":2}"}],"structuredContent":{"sum":"tw… (tools/call)', '?tools-19: a text block with the structured content as JSON <- {"result":{"content":[{"type":"text","text":"{\\"sum\\":2}"}],"structuredContent":{"sum":"tw… (tools/call)']],
      ['no structured content', { 'tools/call': where(called('add'), changed({ structuredContent: undefined })) }, ['-tools-10: structuredContent: the tool has an outputSchema <- {"result":{"content":[{"type":"text","text":"{\\"sum\\":2}"}]}} (tools/call)']],
      ['another text', { 'tools/call': where(called('add'), changed({ content: [block('{"sum":3}')] })) }, ['tools-10', '?tools-19: a text block with the structured content as JSON <- {"result":{"content":[{"type":"text","text":"{\\"sum\\":3}"}],"structuredContent":{"sum":2}}… (tools/call)']],
      ['a text that is not JSON', { 'tools/call': where(called('add'), changed({ content: [block('two')] })) }, ['tools-10', '?tools-19: a text block with the structured content as JSON <- {"result":{"content":[{"type":"text","text":"two"}],"structuredContent":{"sum":2}}} (tools/call)']],
      ['a second text', { 'tools/call': where(called('add'), changed({ content: [block('two'), block('{ "sum": 2 }')] })) }, ['tools-10 tools-19']],
      ['no text', { 'tools/call': where(called('add'), changed({ content: [{ type: 'image' }, 5] })) }, ['tools-10', '-tools-19: a text block with the structured content as JSON <- {"result":{"content":[{"type":"image"},5],"structuredContent":{"sum":2}}} (tools/call)']],
      ['no content', { 'tools/call': where(called('add'), changed({ content: 'x' })) }, ['tools-10', '-tools-19: a text block with the structured content as JSON <- {"result":{"content":"x","structuredContent":{"sum":2}}} (tools/call)']],
      ['a structured content without a schema', { 'tools/call': where(called('slow'), changed({ structuredContent: { a: 1, b: [2] }, content: [block('{"b":[2],"a":1}')] })) }, ['tools-10 tools-19×2']],
      ['an error', { 'tools/call': where(called('add'), changed({ isError: true })) }, []],
      ['a schema that cannot be compiled', { 'tools/list': changed(({ tools }) => ({ tools: (tools as object[]).map((one) => ({ ...one, outputSchema: { type: 5 } })) })) }, []],
      ['no tool is done', { 'tools/call': fails(-32603) }, []],
    ],
  },
  { probe: 'structured results', version: v25, asks: [], says: ['tools-19'], faults: [] },
  {
    probe: 'a tool that fails', version: v25, tools: ['add', 'fail'], asks: [], says: ['schema-1'], faults: [
      ['an error of the protocol', { 'tools/call': where(called('fail'), fails(-32603)) }, ['-schema-1: a result with isError, so that the model can read the failure of the tool <- {"error":{"code":-32603,"message":"no"}} (tools/call)']],
      ['another error', { 'tools/call': where(called('fail'), fails(-32000)) }, []],
      ['a result', { 'tools/call': where(called('fail'), gives({ content: [] })) }, []],
    ],
  },
  {
    probe: 'the name of a tool in another case', version: v25, tools: ['fail', 'add', 'slow'], asks: ['tools/call {"name":"ADD","arguments":{"a":1,"b":1}}'], says: ['tools-26'], faults: [
      ['it is the same tool', { 'tools/call': about('ADD', gives({ content: [] })) }, ['-tools-26: no such tool: ADD is another name than add <- {"result":{"content":[]}} (tools/call)']],
      ['no answer', { 'tools/call': about('ADD', silent) }, []],
      ['an error in a result', { 'tools/call': about('ADD', gives({ content: [], isError: true })) }, ['tools-26']],
    ],
  },
  { probe: 'the name of a tool in another case', version: modern, tools: ['flag', 'FLAG', 'SHOUTS', '123'], asks: ['tools/call {"name":"shouts","arguments":{}}'], says: ['tools-26'], faults: [['it asks', { 'tools/call': about('shouts', gives({ resultType: 'input_required' })) }, ['tools-26']]] },
  {
    probe: 'lists without their capability', version: v25, asks: [], says: ['tools-3 prompts-3 resources-2'], faults: [['no list', { 'tools/list': fails(-32603) }, ['prompts-3 resources-2']]],
  },
  {
    probe: 'lists without their capability', version: v25, capabilities: { prompts: {} }, asks: ['tools/list', 'resources/list'], says: ['prompts-3', '~tools-3: the server has no tools', '~resources-2: the server has no resources'], faults: [
      ['tools', { 'tools/list': gives({ tools: [{ name: 'x' }] }) }, ['prompts-3', '-tools-3: the capability tools of a server that lists tools <- {"result":{"tools":[{"name":"x"}]}} (tools/list)', '~resources-2: the server has no resources']],
      ['an empty list', { 'resources/list': gives({ resources: [] }) }, ['prompts-3', '~tools-3: the server has no tools', '~resources-2: the server has no resources']],
      ['resources', { 'resources/list': gives({ resources: [{ uri: 'a:b' }] }) }, ['prompts-3', '~tools-3: the server has no tools', '-resources-2: the capability resources of a server that lists resources <- {"result":{"resources":[{"uri":"a:b"}]}} (resources/list)']],
      ['a list that is a text', { 'resources/list': gives({ resources: 'xy' }) }, ['prompts-3', '~tools-3: the server has no tools', '~resources-2: the server has no resources']],
    ],
  },
  {
    probe: 'an unknown resource', version: v25, options: { seed: 7 }, asks: ['resources/read {"uri":"judge-unknown://nothing/7"}'], says: ['resources-8'], faults: [
      ['an empty result', { 'resources/read': about('unknown', gives({ contents: [] })) }, []],
      ['a result', { 'resources/read': about('unknown', gives({ contents: [{ uri: 'x', text: 'x' }] })) }, []],
      ['a result without contents', { 'resources/read': about('unknown', gives({})) }, []],
      ['the code of the next revision', { 'resources/read': about('unknown', fails(-32602)) }, ['-resources-8: error -32002 <- {"error":{"code":-32602,"message":"no"}} (resources/read)']],
      ['no answer', { 'resources/read': about('unknown', silent) }, []],
      ['no list', { 'resources/list': fails(-32603) }, ['resources-8']],
    ],
  },
  { probe: 'an unknown resource', version: modern, asks: ['resources/read {"uri":"judge-unknown://nothing/1"}'], says: ['resources-1 resources-6 resources-5'], faults: [['the code of earlier revisions', { 'resources/read': about('unknown', fails(-32002)) }, ['resources-1 resources-6', '-resources-5: error -32602 <- {"error":{"code":-32002,"message":"no"}} (resources/read)']]] },
  { probe: 'an unknown resource', version: v25, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'an invalid URI', version: v25, asks: ['resources/read {"uri":"judge: no uri"}', 'resources/read {"uri":""}'], says: ['resources-14×2'], faults: [
      ['a result', { 'resources/read': about('no uri', gives({ contents: [] })) }, ['resources-14', '-resources-14: an error: "judge: no uri" is not a URI <- {"result":{"contents":[]}} (resources/read)']],
      ['a result for nothing', { 'resources/read': about('"uri":""', gives({ contents: [] })) }, ['resources-14', '-resources-14: an error: "" is not a URI <- {"result":{"contents":[]}} (resources/read)']],
      ['no answer', { 'resources/read': about('no uri', silent) }, ['resources-14']],
    ],
  },
  { probe: 'an invalid URI', version: v25, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'an unknown resource of a template', version: modern, templates: [{ uriTemplate: 'peer://a/{+id}/{b}' }, { uriTemplate: 'peer://plain' }, { uriTemplate: 5 }, ...[1, 2, 3, 4].map((at) => ({ uriTemplate: `peer://${at}/{id}` }))], asks: ['resources/read {"uri":"peer://a/judge-unknown/judge"}', 'resources/read {"uri":"peer://1/judge-unknown"}', 'resources/read {"uri":"peer://2/judge-unknown"}', 'resources/read {"uri":"peer://3/judge-unknown"}'], says: ['resources-6×4'], faults: [
      ['an empty result', { 'resources/read': about('peer://a/', gives({ contents: [] })) }, ['resources-6×3', '-resources-6: an error, and not an empty result <- {"result":{"contents":[]}} (resources/read)']],
      ['a result', { 'resources/read': about('judge-unknown', gives({ contents: [{}] })) }, []],
      ['no contents', { 'resources/read': about('judge-unknown', gives({ contents: 'x' })) }, []],
    ],
  },
  {
    probe: 'steps upward in a URI', version: v25, templates: [{ uriTemplate: 'peer://a/{+id}/{b}' }, { uriTemplate: 'peer://b/{id}' }], asks: ['resources/read {"uri":"peer://a/../../../../../../../../../../../../etc/passwd/judge"}', 'resources/read {"uri":"peer://b/../../../../../../../../../../../../etc/passwd"}', 'resources/read {"uri":"peer://a/..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd/…', 'resources/read {"uri":"peer://b/..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd"…', 'resources/read {"uri":"peer://a/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%…', 'resources/read {"uri":"peer://b/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%…'], says: ['resources-14×6'], faults: [
      ['the file', { 'resources/read': about('../etc/passwd', gives({ contents: [{ uri: 'x', text: 'root:x:0:0:root:/root:/bin/sh' }] })) }, ['resources-14×4', '-resources-14×2: nothing from outside the folder of the template <- {"result":{"contents":[{"uri":"x","text":"root:x:0:0:root:/root:/bin/sh"}]}} (resources/read)']],
      ['the file, for an encoded name', { 'resources/read': about('%2e', gives({ contents: [{ uri: 'x', text: 'root:x:0:0:root:/root:/bin/sh' }] })) }, ['resources-14×4', '-resources-14×2: nothing from outside the folder of the template <- {"result":{"contents":[{"uri":"x","text":"root:x:0:0:root:/root:/bin/sh"}]}} (resources/read)']],
      ['no answer', { 'resources/read': about('..', silent) }, ['resources-14×2']],
    ],
  },
  {
    probe: 'an unknown prompt', version: v25, asks: ['prompts/get {"name":"judge-unknown-prompt"}'], says: ['prompts-9'], faults: [
      ['a result', { 'prompts/get': about('unknown', gives({ messages: [] })) }, ['-prompts-9: error -32602 <- {"result":{"messages":[]}} (prompts/get)']],
      ['another error', { 'prompts/get': about('unknown', fails(-32603)) }, ['-prompts-9: error -32602 <- {"error":{"code":-32603,"message":"no"}} (prompts/get)']],
      ['no answer', { 'prompts/get': about('unknown', silent) }, []],
      ['no list', { 'prompts/list': fails(-32603) }, ['prompts-9']],
    ],
  },
  { probe: 'an unknown prompt', version: v25, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'a prompt without its required arguments', version: v25, prompts: [{ name: 'plain' }, { name: 'odd', arguments: [{ name: 'x' }, 'y'] }, { name: 'greet', arguments: [{ name: 'who', required: true }, { name: 'how', required: true }, { name: 'why', required: false }] }], asks: ['prompts/get {"name":"greet","arguments":{}}', 'prompts/get {"name":"greet","arguments":{"who":5,"how":5}}'], says: ['prompts-10 prompts-13 prompts-16'], faults: [
      ['a result', { 'prompts/get': about('"arguments":{}', gives({ messages: [] })) }, ['-prompts-10: error -32602: who, how is required <- {"result":{"messages":[]}} (prompts/get)', '-prompts-13 -prompts-16: an error: a required argument is missing <- {"result":{"messages":[]}} (prompts/get)']],
      ['another error', { 'prompts/get': about('"arguments":{}', fails(-32603)) }, ['prompts-13 prompts-16', '-prompts-10: error -32602: who, how is required <- {"error":{"code":-32603,"message":"no"}} (prompts/get)']],
      ['no answer', { 'prompts/get': about('"arguments":{}', silent) }, []],
      ['a number is taken', { 'prompts/get': about('"who":5', gives({ messages: [] })) }, ['prompts-10 prompts-13 prompts-16', '?prompts-13: an error: arguments of prompts are strings <- {"result":{"messages":[]}} (prompts/get)']],
    ],
  },
  { probe: 'a prompt without its required arguments', version: v25, prompts: [{ name: 'plain', arguments: 'x' }], asks: [], says: [], faults: [] },
  {
    probe: 'a failure in a prompt or a resource', version: v25, prompts: [{ name: 'plain' }, { name: 'greet', arguments: [{ name: 'who', required: true }] }], asks: [], says: [], faults: [
      ['both fail', { 'prompts/get': fails(-32603), 'resources/read': fails(-32603) }, ['prompts-8×2 resources-7']],
      ['both fail with the code of wrong params', { 'prompts/get': fails(-32602), 'resources/read': fails(-32602) }, ['?resources-7: error -32603: a listed resource failed <- {"error":{"code":-32602,"message":"no"}} (resources/read)', '?prompts-8: error -32603: a listed prompt without arguments failed <- {"error":{"code":-32602,"message":"no"}} (prompts/get)']],
      ['both fail with another code', { 'prompts/get': fails(-32000), 'resources/read': fails(-32000) }, []],
    ],
  },
  { probe: 'a failure in a prompt or a resource', version: modern, asks: [], says: [], faults: [['the code of wrong params', { 'resources/read': fails(-32602) }, []]] },
  {
    probe: 'completion', version: v25, asks: ['completion/complete {"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}', 'completion/complete {"ref":{"type":"ref/prompt","name":"judge-unknown-prompt"},"argument":{"name":"judge","val…', 'completion/complete {"ref":{"type":"ref/prompt","name":"greet"}}', 'completion/complete {"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who"}}', 'completion/complete {"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":5}}'], says: ['completion-1 completion-3 completion-5×3 completion-12×3'], faults: [
      ['a result for an unknown prompt', { 'completion/complete': about('judge-unknown', gives({ completion: { values: [] } })) }, ['completion-1 completion-5×3 completion-12×3', '-completion-3: error -32602: there is no such prompt <- {"result":{"completion":{"values":[]}}} (completion/complete)']],
      ['another error for an unknown prompt', { 'completion/complete': about('judge-unknown', fails(-32603)) }, ['completion-1 completion-5×3 completion-12×3', '-completion-3: error -32602: there is no such prompt <- {"error":{"code":-32603,"message":"no"}} (completion/complete)']],
      ['no answer about an unknown prompt', { 'completion/complete': about('judge-unknown', silent) }, ['completion-1 completion-5×3 completion-12×3']],
      ['a result without an argument', { 'completion/complete': where(({ params }) => !('argument' in params), gives({ completion: { values: [] } })) }, ['completion-1 completion-3 completion-12×2 completion-5×2', '-completion-5: error -32602: the argument is missing <- {"result":{"completion":{"values":[]}}} (completion/complete)', '-completion-12: an error: the argument is missing <- {"result":{"completion":{"values":[]}}} (completion/complete)']],
      ['another error without an argument', { 'completion/complete': where(({ params }) => !('argument' in params), fails(-32603)) }, ['completion-1 completion-3 completion-12×3 completion-5×2', '-completion-5: error -32602: the argument is missing <- {"error":{"code":-32603,"message":"no"}} (completion/complete)']],
      ['no answer without an argument', { 'completion/complete': where(({ params }) => !('argument' in params), silent) }, ['completion-1 completion-3']],
      ['a result for a number', { 'completion/complete': about('"value":5', gives({ completion: { values: [] } })) }, ['completion-1 completion-3 completion-5×2 completion-12×2', '-completion-12: an error: the value of the argument must be a text <- {"result":{"completion":{"values":[]}}} (completion/complete)', '-completion-5: error -32602: the value of the argument must be a text <- {"result":{"completion":{"values":[]}}} (completion/complete)']],
      ['another error for a number', { 'completion/complete': about('"value":5', fails(-32603)) }, ['completion-1 completion-3 completion-5×2 completion-12×3', '-completion-5: error -32602: the value of the argument must be a text <- {"error":{"code":-32603,"message":"no"}} (completion/complete)']],
      ['no answer about a number', { 'completion/complete': about('"value":5', silent) }, ['completion-1 completion-3 completion-5×2 completion-12×2']],
      ['an error always', { 'completion/complete': fails(-32602) }, ['completion-3 completion-5×3 completion-12×3']],
    ],
  },
  { probe: 'completion', version: v25, prompts: [{ name: 'plain', arguments: ['x'] }], templates: [{ uriTemplate: 'peer://x' }, { uriTemplate: 'peer://{?id_1,b}' }], asks: ['completion/complete {"ref":{"type":"ref/resource","uri":"peer://{?id_1,b}"},"argument":{"name":"id_1","value":…', 'completion/complete {"ref":{"type":"ref/prompt","name":"judge-unknown-prompt"},"argument":{"name":"judge","val…', 'completion/complete {"ref":{"type":"ref/resource","uri":"peer://{?id_1,b}"}}', 'completion/complete {"ref":{"type":"ref/resource","uri":"peer://{?id_1,b}"},"argument":{"name":"id_1"}}', 'completion/complete {"ref":{"type":"ref/resource","uri":"peer://{?id_1,b}"},"argument":{"name":"id_1","value":…'], says: ['completion-1 completion-3 completion-5×3 completion-12×3'], faults: [] },
  { probe: 'completion', version: v25, prompts: [], templates: [], asks: ['completion/complete {"ref":{"type":"ref/prompt","name":"judge-unknown-prompt"},"argument":{"name":"judge","val…', 'completion/complete {"ref":{"type":"ref/prompt","name":"judge-unknown-prompt"},"argument":{"name":"judge","val…', 'completion/complete {"ref":{"type":"ref/prompt","name":"judge-unknown-prompt"}}'], says: ['completion-3 completion-5 completion-12'], faults: [] },
  {
    probe: 'completion', version: v25, capabilities: { prompts: {} }, asks: ['completion/complete {"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}'], says: ['completion-4', '~completion-1: the server has no completions'], faults: [
      ['values', { 'completion/complete': gives({ completion: { values: ['a'] } }) }, ['-completion-1: the capability completions of a server with completions <- {"result":{"completion":{"values":["a"]}}} (completion/complete)', '-completion-4: error -32601: the server has no completions <- {"result":{"completion":{"values":["a"]}}} (completion/complete)']],
      ['an empty list', { 'completion/complete': gives({ completion: { values: [] } }) }, ['~completion-1: the server has no completions', '-completion-4: error -32601: the server has no completions <- {"result":{"completion":{"values":[]}}} (completion/complete)']],
      ['no completion', { 'completion/complete': gives({ completion: 'x' }) }, ['~completion-1: the server has no completions', '-completion-4: error -32601: the server has no completions <- {"result":{"completion":"x"}} (completion/complete)']],
      ['another error', { 'completion/complete': fails(-32603) }, ['~completion-1: the server has no completions', '-completion-4: error -32601: the server has no completions <- {"error":{"code":-32603,"message":"no"}} (completion/complete)']],
      ['no answer', { 'completion/complete': silent }, ['~completion-1: the server has no completions']],
    ],
  },
  { probe: 'completion', version: '2024-11-05', capabilities: {}, asks: ['completion/complete {"ref":{"type":"ref/prompt","name":"judge-unknown-prompt"},"argument":{"name":"judge","val…'], says: [], faults: [] },
  {
    probe: 'an unknown log level', version: v25, asks: ['logging/setLevel {"level":"judge"}'], says: ['logging-5'], faults: [
      ['a result', { 'logging/setLevel': gives({}) }, ['-logging-5: error -32602 <- {"result":{}} (logging/setLevel)']], ['another error', { 'logging/setLevel': about('judge', fails(-32603)) }, ['-logging-5: error -32602 <- {"error":{"code":-32603,"message":"no"}} (logging/setLevel)']], ['no answer', { 'logging/setLevel': about('judge', silent) }, []],
    ],
  },
  { probe: 'an unknown log level', version: v25, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'an unknown log level in a request', version: modern, asks: ['tools/list {"meta":{"io.modelcontextprotocol/logLevel":"judge"}}'], says: ['logging-4'], faults: [
      ['a result', { 'tools/list': gives({ tools: [] }) }, ['-logging-4: error -32602 <- {"result":{"tools":[]}} (tools/list)']], ['another error', { 'tools/list': about('logLevel', fails(-32603)) }, ['-logging-4: error -32602 <- {"error":{"code":-32603,"message":"no"}} (tools/list)']], ['no answer', { 'tools/list': about('logLevel', silent) }, []],
    ],
  },
  { probe: 'an unknown log level in a request', version: modern, capabilities: { logging: {} }, asks: ['server/discover {"meta":{"io.modelcontextprotocol/logLevel":"judge"}}'], says: ['logging-4'], faults: [] },
  { probe: 'an unknown log level in a request', version: modern, capabilities: {}, asks: [], says: [], faults: [] },
  {
    probe: 'a call without a log level', version: modern, tools: ['add', 'log'], asks: ['tools/call {"name":"log","arguments":{}}'], says: ['logging-10'], faults: [
      ['it logs all the same', { 'tools/call': where(called('log'), also({ before: [{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }] })) }, []],
      ['an error', { 'tools/call': from(3, fails(-32603)) }, []],
    ],
  },
  {
    probe: 'a progress token that is a fraction', version: v25, tools: ['add', 'progress'], asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'tools/call {"name":"progress","arguments":{}} {"meta":{"progressToken":1.5}}'], says: [], faults: [],
  },
  { probe: 'a progress token that is a fraction', version: v25, tools: ['add'], asks: [], says: [], faults: [] },
  { probe: 'a progress token that is a fraction', version: v25, tools: ['progress'], edits: { 'tools/call': (said) => ({ before: said.before, error: { code: 1, message: 'x' } }) }, asks: [], says: [], faults: [] },
  { probe: 'a progress token that is a fraction', version: v25, tools: ['progress'], edits: { 'tools/call': also({ ms: 2_000 }) }, asks: [], says: [], faults: [] },
  {
    probe: 'a made-up cursor', version: v25, pageSize: 1, tools: ['add', 'fail'], asks: ['tools/list {"cursor":"judge-made-up-cursor"}', 'resources/list {"cursor":"judge-made-up-cursor"}', 'resources/templates/list {"cursor":"judge-made-up-cursor"}', 'prompts/list {"cursor":"judge-made-up-cursor"}'], says: ['pagination-1×4'], faults: [
      ['a result', { 'tools/list': about('judge-made-up', gives({ tools: [] })), 'prompts/list': about('judge-made-up', gives({ prompts: [] })) }, ['pagination-1×2', '-pagination-1: error -32602: the server did not give this cursor <- {"result":{"tools":[]}} (tools/list)', '?pagination-1: error -32602: the server did not give this cursor <- {"result":{"prompts":[]}} (prompts/list)']],
      ['another error', { 'tools/list': about('judge-made-up', fails(-32603)) }, ['pagination-1×3', '-pagination-1: error -32602 <- {"error":{"code":-32603,"message":"no"}} (tools/list)']],
      ['no answer', { 'tools/list': about('judge-made-up', silent) }, ['pagination-1×3']],
      ['no list', { 'tools/list': fails(-32603) }, ['pagination-1×3']],
    ],
  },
  { probe: 'a made-up cursor', version: old, capabilities: { prompts: {} }, asks: ['prompts/list {"cursor":"judge-made-up-cursor"}'], says: ['pagination-1'], faults: [] },
  {
    probe: 'the scope of pages', version: modern, pageSize: 1, tools: ['add', 'fail', 'flag'], asks: [], says: ['caching-14×2'], faults: [
      ['another scope of the second page', { 'tools/list': from(2, changed({ cacheScope: 'public' }), 2) }, ['caching-14', '-caching-14: the scope of the first page: private <- {"result":{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[{"annotations"… (tools/list)']],
      ['no second page', { 'tools/list': from(2, fails(-32603)) }, []],
    ],
  },
  {
    probe: 'using what it offers', version: modern, tools: ['ask'], asks: [], says: ['base-3 mrtr-1 base-2'], faults: [
      ['no list at all', { 'tools/list': fails(-32603), 'resources/list': fails(-32603), 'resources/templates/list': fails(-32603), 'prompts/list': fails(-32603) }, ['-base-2: the lists that it declares, in a revision that server/discover names <- {"error":{"code":-32603,"message":"no"}} (tools/list)']],
      ['one list', { 'tools/list': fails(-32603), 'resources/list': fails(-32603), 'resources/templates/list': fails(-32603) }, ['base-2']],
    ],
  },
  { probe: 'using what it offers', version: v25, tools: ['ask'], asks: [], says: [], faults: [] },
];
