// The order of the chaos run: three steps, and a question between them.
export const leaseMs = 1000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function defineOrder(server, effect) {
  const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  server.tool('order', { task: 'required', input }, async ({ n }, ctx) => {
    const step = (name) => ctx.once(name, async (told) => {
      effect(name, told);
      // Between the effect and its record: the worst moment for a kill.
      await pause(Math.random() * 20);
      return `${name}-${told.attempt}`;
    });
    const charged = await step('charge');
    const form = await ctx.elicit(`Order ${n}?`, { word: { type: 'string' } }, { key: 'word' });
    const packed = await step('pack');
    const shipped = await step('ship');
    return [n, charged, packed, shipped, form.content?.word].join(' ');
  });
}
