// Behaviours of clients that run scripts and ask for further steps, for client-behaviours.mjs.

const era = process.argv[4];

const post = (url, message) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  }).then(response => response.text());

async function open(url) {
  const clientInfo = { name: 'hostile', version: '1' };
  const params = { protocolVersion: era, capabilities: {}, clientInfo };
  await post(url, { id: 1, method: 'initialize', params });
  await post(url, { method: 'notifications/initialized' });
  await post(url, { id: 2, method: 'tools/list', params: {} });
}

/** Connects wherever a script leads, and asks for further steps in its own way. */
const scripted = (what, further) => ({
  what,
  over: ['http'],
  async start() {
    const script = JSON.parse(process.env.MCP_CONFORM_SCRIPT);
    if (script.some(([verb]) => verb.startsWith('x-'))) process.exit(127);
    let url = process.argv.at(-1);
    for (const [verb, place] of script) {
      if (verb === 'connect') await open(url);
      if (verb === 'restart') url = place.url;
      if (place?.steps) await further(place.steps, place.beside);
    }
    process.exit(0);
  },
});

const forever = () => new Promise(() => setInterval(() => {}, 60_000));

export const scripts = {
  'asks-for-steps-only': scripted('asks for further steps again and again, and does none', async steps => {
    for (;;) await fetch(steps).then(response => response.text());
  }),
  'asks-for-steps-at-once': scripted(
    'asks for further steps without an end, at the same time',
    async steps => {
      for (;;) await Promise.race([fetch(steps), new Promise(resolve => setTimeout(resolve, 1))]);
    },
  ),
  'leaves-its-question-for-steps': scripted('asks for further steps, leaves, and stays', async steps => {
    await fetch(steps, { signal: AbortSignal.timeout(20) }).catch(() => {});
    await forever();
  }),
  'gets-steps-and-hangs': scripted('gets further steps, and stays', async steps => {
    await fetch(steps);
    await forever();
  }),
  'asks-beside-only': scripted(
    'asks for the steps of other scripts, not for its own',
    async (_, beside = []) => {
      await Promise.all(beside.map(url => fetch(url)));
      await forever();
    },
  ),
  'hangs-in-one-script': scripted(
    'hangs in one script, and ends the others',
    async (steps, [url, ...beside]) => {
      const ends = async one => {
        for (let steps; steps?.length !== 0; ) steps = await fetch(one).then(response => response.json());
      };
      void fetch(url);
      await Promise.all([steps, ...beside].map(ends));
      await forever();
    },
  ),
  'exits-in-one-script': scripted(
    'gets steps for several scripts, and exits in one',
    async (steps, beside = []) => {
      await Promise.race([steps, ...beside].map(url => fetch(url)));
      await new Promise(setImmediate);
      process.exit(3);
    },
  ),
  'asks-beside-for-ever': scripted(
    'asks for the steps of all scripts again and again, and does none',
    async (steps, beside = []) => {
      const asks = async url => {
        for (;;) await fetch(url).then(response => response.text());
      };
      await Promise.all([steps, ...beside].map(asks));
    },
  ),
  'gets-steps-and-exits': scripted('gets further steps, and exits with code 3', async steps => {
    await fetch(steps);
    process.exit(3);
  }),
};
