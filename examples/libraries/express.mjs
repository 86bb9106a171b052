// Express: node express.mjs [PORT]
import express from 'express';
import { httpListener } from 'barewire/http';
import { trips } from './trips.mjs';

const app = express();
app.use(express.json());                                     // optional before the MCP handler
app.get('/', (_request, response) => response.send('Trips.'));
app.all('/mcp', httpListener(trips()));

const http = app.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${http.address().port}/mcp`);
});
