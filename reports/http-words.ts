/** Descriptions of the events of an HTTP exchange; `#3` is the number of the exchange. */

import type { Event, HeaderList } from '../harness/record/event.js';

type HttpEvent = Extract<
  Event,
  { kind: 'http-request' | 'http-response' | 'http-body' | 'sse' | 'http-end' }
>;

/** Headers without information about MCP. */
const dull = [
  'host',
  'user-agent',
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
];

export function httpInWords(event: HttpEvent): string[] {
  const number = `#${event.exchange}`;
  switch (event.kind) {
    case 'http-request': {
      const remarks = [
        event.deliberate && 'deliberate',
        event.resumes !== undefined && `resumes #${event.resumes}`,
      ].filter(Boolean);
      const remark = remarks.length > 0 ? `  (${remarks.join(', ')})` : '';
      return [`${number} ${event.method} ${event.url}${remark}`, ...headers(event.headers)];
    }
    case 'http-response':
      return [
        `${number} ${[event.status, event.reason].filter(Boolean).join(' ')}`,
        ...headers(event.headers),
      ];
    case 'http-body':
      return [`${number} ${event.of === 'request' ? 'sent' : 'body'} ${event.text}`];
    case 'sse': {
      const { event: name, id, retry, data, comments } = event;
      const fields = Object.entries({ event: name, id, retry, data }).filter(
        ([, value]) => value !== undefined,
      );
      const text = [
        ...fields.map(([field, value]) => `${field}: ${value}`),
        ...(comments ?? []).map(c => `: ${c}`),
      ];
      return [`${number} event  ${text.join('  ')}${event.unfinished ? '  (unfinished)' : ''}`];
    }
    case 'http-end': {
      const why = [event.code, event.reason].filter(Boolean).join(': ');
      if (event.by === 'error') return [`${number} failed${why && `: ${why}`}`];
      return [`${number} ${event.by === 'server' ? 'complete' : 'closed by the client'}`];
    }
  }
}

const headers = (list: HeaderList): string[] =>
  list.filter(([name]) => !dull.includes(name.toLowerCase())).map(([name, value]) => `  ${name}: ${value}`);
