// What the bare programs on node:http do with a request before they answer it.

/** A handler of node:http: a DELETE ends its session, of anything else the body is read whole and given to `answer`. */
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
