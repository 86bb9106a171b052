import { revisions } from '../../protocol/index.ts';
import type { Bench } from '../bench.ts';
import type { ReceivedAnswer, JudgedConversation } from '../conversation.ts';

/** Rules that the opening of a revision shows. */
export interface OpeningProbe {
  readonly rules: readonly string[];
  opened(bench: Bench, conversation: JudgedConversation, answer: ReceivedAnswer, speaks: boolean): Promise<void>;
}

const legacy = revisions.filter(({ era }) => era === 'legacy').map(({ version }) => version);

export const openingProbes: readonly OpeningProbe[] = [
  {
    // 2025-11-25 basic/lifecycle#version-negotiation.
    rules: ['lifecycle-19', 'lifecycle-22', 'base-1'],
    async opened(_bench, conversation, answer, speaks) {
      if (conversation.modern) return;
      if (answer.kind === 'error' && answer.code === -32601) {
        const listed = await conversation.ask('tools/list');
        if (listed.kind === 'result') conversation.check('base-1', false, 'a result: the server serves this revision, and has no initialize', answer);
      }
      if (answer.kind !== 'result') return;
      if (speaks) conversation.check('base-1', true, '', answer);
      const { protocolVersion: version } = answer.result;
      if (speaks) conversation.check('lifecycle-19', true, '', answer);
      else conversation.check('lifecycle-22', typeof version === 'string' && version !== '', 'a version that the server supports', answer);
      if (!speaks && typeof version === 'string' && !legacy.includes(version)) conversation.dispute('lifecycle-22', `a revision with a handshake: ${legacy.join(', ')}`, answer);
    },
  },
  {
    // 2026-07-28 server/discover.
    rules: ['discover-1', 'discover-3'],
    async opened(_bench, conversation, answer, speaks) {
      if (!conversation.modern || !speaks) return;
      conversation.check('discover-1', true, '', answer);
      const meta = answer.result['_meta'];
      const info = typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>)['io.modelcontextprotocol/serverInfo'] : undefined;
      conversation.check('discover-3', typeof info === 'object' && info !== null, 'io.modelcontextprotocol/serverInfo in the _meta of the result', answer);
    },
  },
];
