export { messagesVersion } from '../messages.ts';
