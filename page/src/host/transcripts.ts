// What reads transcripts and compares them. A part of its own, since it is loaded when it is first needed.
export { compareTranscripts, parseTranscript } from 'barewire/transcript';
