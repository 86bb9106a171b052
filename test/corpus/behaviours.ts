// The behaviour of the transcripts' servers, in words, which the corpus adds to each server's lists.

const adds = 'add: the sum of a and b as text';
const asks = 'book: asks with a form (key "seat") for seat, bags and confirm; accepted: "Booked SEAT, bags: BAGS."; otherwise "Nothing booked: ACTION."';
const works = 'work: reports progress 1 of 3 ("one of three"), 2 of 3, 2 of 3 again (which is not sent), 3 of 3, and answers "worked"';
const notes = 'touch: tells that the resource `uri` was updated, and answers "touched"';

/** By feature; one line for each behaviour. */
export const behaviours: Readonly<Record<string, readonly string[]>> = {
  batching: [adds],
  cancellation: ['wait: ends when it is cancelled', 'why: the reason with which the last wait ended, or "nothing"'],
  completion: [
    'the prompt plan completes city from Paris, Parma, Rome by prefix, without Paris where country is "Italy"; country from France, Italy; mood not at all',
    'the template weather://{city} completes city from the same three',
  ],
  content: ['everything: one block of each kind of content'],
  elicitation: [asks],
  errors: [adds],
  lifecycle: [adds, 'its identity and its instructions are those of the first answer'],
  'list-changes': [
    'add: adds the tools extra and more, and answers "added"', 'rename: changes the description of extra to "One tool more", and answers "renamed"',
    'remove: removes extra, adds the prompt part, and answers "removed"',
  ],
  logging: ['work: logs debug "every detail", info {"step": 1} of the logger "worker", error "it broke", and answers "worked"'],
  'many-questions': [
    'plan: makes a quote number once; asks at the same time for a name (form) and the roots, then whether one is sure (form); answers with the action, the number of roots and the number of quotes made',
    'interview: asks for a name (text), then for an age (integer, at least 0), and answers "NAME is AGE"',
  ],
  'missing-capabilities': ['careful: asks for a name; where it cannot ask, it answers "Hello, stranger."', 'careless: asks for a name, and leaves the failure to the protocol'],
  negotiation: ['nothing but the handshake'],
  pagination: ['the resources note://a to note://e, two on a page'],
  ping: ['nothing but ping'],
  progress: [works],
  prompts: ['plan: a message of the user that names city and days ("some" where days is left out), one of the assistant ("Gladly."), and a link to map://CITY'],
  'request-state': [asks, 'the state that it gives is opaque, and refused where it was changed or belongs to another request'],
  'resource-templates': ['weather://{city}/{date} reads "Rain in CITY on DATE"; the city Atlantis does not exist'],
  resources: ['note://one is the text "one"; note://pixel a PNG; note:// both of them', 'results may be kept for 60 s by anybody, note://pixel for 3600 s'],
  roots: ['where: asks for the roots (key "roots"), and answers with their URIs joined with ", ", or "nowhere"'],
  sampling: ['summarise: asks for a message of the model (key "summary", 100 tokens at most), and answers with its text'],
  'structured-output': ['weather: {"celsius": 3} for Oslo, 21 elsewhere', 'cities: the list Oslo, Rome', 'broken: a result that breaks its own schema'],
  subscriptions: ['note://one and note://two', notes],
  tasks: [
    'bake: takes until open was called, and answers "A cake."', 'open: opens the oven', 'send: asks where to (key "city"), and answers "Sent to CITY."',
    'burn: a result with isError, "All is burnt."', 'break: the error 4711 "The oven is broken"', 'rest: answers when nothing is being worked on',
  ],
  'received-tasks': [
    'the server asks with tasks, for 60 seconds, where the client takes them', 'confirm: asks "Sure?"; "Sure." where sure is true, otherwise "Not sure."',
    'think: has the model of the client think (10 tokens at most), and answers with its text',
  ],
  'received-tasks-cancellation': ['the server of received-tasks'],
  'task-errors': [
    'three tasks at most, 100 bytes of a result, 400 bytes of a journal', 'large: a text of 200 bytes', 'busy: keeps 400 bytes on its way, and answers "done"',
    'wait: reports 1 of 2, "halfway", and asks whether to go on (key "yes"); answers with the action', 'rest: answers when nothing is being worked on',
  ],
  'task-notifications': [
    'the status is told every millisecond at most', 'send: asks whether by parcel (key "parcel"), and only then becomes a task, which asks where to (key "city"); "Sent to CITY.", "Sent by letter." or "Sent nowhere."',
    'rest: answers when nothing is being worked on',
  ],
  'tool-errors': [adds, 'fail: fails with "the disk is full"', 'refuse: the error 4050 "not on Sundays" with the data {"day": "Sunday"}'],
  tools: [adds],
  'url-elicitation': ['connect: sends the person to https://example.com/sign-in?state=1 (key and elicitationId "sign-in"); accepted: "Connected.", otherwise "Not connected."'],
  'wrong-answers': [asks, 'an answer that does not fit the form is not taken'],
  // Over HTTP.
  'http-sse': [adds],
  listen: ['note://one and note://two', notes],
  'mirrored-headers': ['weather: "Rain in CITY"; its schema marks city with x-mcp-header "City"'],
  polling: ['work: lets the server close the stream before the answer, and answers "worked"'],
  questions: [asks],
  'refused-headers': ['the server of mirrored-headers'],
  'refused-session': [adds],
  'refused-requests': [adds],
  'lost-session': [adds],
  changes: ['note://one and note://two', notes],
  resumption: [works],
  sessions: [adds],
};
