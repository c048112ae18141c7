// A client over HTTP without support for scripts: it lists prompts before tools, calls a tool, and resumes
// streams that end before the response. The last argument is the URL.
const url = process.argv.at(-1);

let session;
let lastId = 0;

const headers = more => ({
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  ...(session && { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' }),
  ...more,
});

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

const fieldsOf = event =>
  Object.fromEntries(
    event
      .split(/\r\n|\r|\n/)
      .filter(line => line.includes(':') && !line.startsWith(':'))
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).replace(/^ /, '')]),
  );

/** @returns the response to a request, from one stream or from its resumptions */
async function read(response, id) {
  let [last, retry] = [undefined, 0];
  for (let answer = response, tries = 0; tries < 9; tries++) {
    const text = await answer.text();
    if (!answer.headers.get('content-type')?.includes('event-stream')) return JSON.parse(text);
    for (const event of text.split(/\r\n\r\n|\r\r|\n\n/).map(fieldsOf)) {
      last = event.id ?? last;
      retry = Number(event.retry ?? retry);
      const message = event.data ? JSON.parse(event.data) : undefined;
      if (message?.id === id) return message;
    }
    if (last === undefined) return undefined;
    await pause(retry);
    answer = await fetch(url, { headers: headers({ Accept: 'text/event-stream', 'Last-Event-ID': last }) });
  }
  return undefined;
}

async function ask(method, params = {}) {
  const id = ++lastId;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const response = await fetch(url, { method: 'POST', headers: headers(), body });
  session ??= response.headers.get('mcp-session-id');
  return (await read(response, id))?.result;
}

async function list(method) {
  let cursor;
  do {
    const result = await ask(method, cursor === undefined ? {} : { cursor });
    cursor = result?.nextCursor;
  } while (cursor !== undefined);
}

await ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'lists-first', version: '1' },
});
const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
await (await fetch(url, { method: 'POST', headers: headers(), body })).text();
await list('prompts/list');
await list('tools/list');
await ask('tools/call', { name: 'test_simple_text', arguments: {} });
