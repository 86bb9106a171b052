// The control interface of every HTTP program here, outside the libraries: reports the port to the bench, answers its questions
// over the IPC channel, and ends with the bench.
export function control(httpServer, actions = {}) {
  const answer = (message) => {
    if (message === 'heap') {
      globalThis.gc?.();
      globalThis.gc?.();
      const { heapUsed, external, rss } = process.memoryUsage();
      process.send({ heapUsed, external, rss });
    } else if (message === 'changed') {
      actions.changed?.();
    }
  };
  process.on('message', answer);
  process.on('disconnect', () => process.exit(0));
  const announce = () => process.send?.({ port: httpServer.address().port });
  if (httpServer.listening) announce();
  else httpServer.once('listening', announce);
}

/** Adapts the result of `serveHttp` for `control`. */
export const served = ({ port }) => ({ listening: true, address: () => ({ port }) });

/** Number of tools in `tools/list` beyond the three measured ones, as requested by the bench. */
export const extraTools = Math.max(0, Number(process.env.TOOLS ?? 3) - 3);

export const extraName = (i) => `forecast_${String(i).padStart(4, '0')}`;
export const extraDescription = (i) => `Weather forecast number ${i} for a city, for up to fourteen days.`;

/** The JSON Schema of the extra tools, for programs that write JSON Schema by hand. */
export const extraSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Name of the city' },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    units: { type: 'string', enum: ['metric', 'imperial'] },
  },
  required: ['city'],
};

export const echoSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
export const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
