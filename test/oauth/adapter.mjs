/** The in-memory storage of an authorization server for the whole test: it survives a change of keys. */
export function memoryAdapter() {
  const held = new Map();
  const values = (model) => [...held].filter(([key]) => key.startsWith(`${model}:`)).map(([, value]) => value);
  return Object.assign((model) => ({
    upsert: async (id, payload) => void held.set(`${model}:${id}`, payload),
    find: async (id) => held.get(`${model}:${id}`),
    findByUid: async (uid) => values(model).find((payload) => payload.uid === uid),
    findByUserCode: async (code) => values(model).find((payload) => payload.userCode === code),
    consume: async (id) => void (held.get(`${model}:${id}`).consumed = Math.floor(Date.now() / 1000)),
    destroy: async (id) => void held.delete(`${model}:${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, payload] of held) if (payload.grantId === grantId) held.delete(key);
    },
  }), {
    /** Deletes every grant and every token. */
    revokeAll() {
      for (const [key] of held) if (/^(?:Grant|AccessToken|RefreshToken):/.test(key)) held.delete(key);
    },
  });
}
