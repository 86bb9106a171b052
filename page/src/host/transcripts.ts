// Reading and comparing transcripts: a separate chunk, loaded at its first use.
export { compareTranscripts, parseTranscript } from 'barewire/transcript';
