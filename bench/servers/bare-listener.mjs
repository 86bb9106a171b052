// The part of the bare programs on node:http before their answer.

/** A handler for node:http: a DELETE ends its session; for other requests it reads the whole body and passes it to `answer`. */
export const bareListener = (sessions, answer) => (req, res) => {
  if (req.method === 'DELETE') {
    sessions.delete(req.headers['mcp-session-id']);
    res.writeHead(200).end();
    return;
  }
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => answer(req, res, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
};
