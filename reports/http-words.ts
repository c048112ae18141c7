/** Descriptions of the events of an HTTP exchange; `#3` is the number of the exchange. */

import type { Event, HeaderList } from '../harness/record/event.js';

type HttpEvent = Extract<
  Event,
  { kind: 'http-request' | 'http-response' | 'http-body' | 'sse' | 'http-end' }
>;

/** Headers without information about MCP. */
const dull =
  /^(user-agent|date|connection|keep-alive|content-length|transfer-encoding|x-powered-by|etag|cache-control|pragma|expires|age|vary|server|via|access-control-.*|x-accel-.*|sec-.*|accept-(language|encoding|charset)|strict-transport-security|x-(content-type-options|frame-options|xss-protection|dns-.*|download-options|permitted-.*|request-id)|referrer-policy|cross-origin-.*|content-security-policy|origin-agent-cluster|cf-.*|alt-svc|nel|report-to)$/i;
/** Headers that nearly every request has: shown where the finding is about them. */
const usual = /^(host|accept|content-type|mcp-protocol-version)$/i;

/** What a reader wants to see of an HTTP exchange. */
export interface HttpView {
  /** The origin of the subject: its addresses are shown as paths. */
  readonly origin?: string | undefined;
  /** Texts of the finding: usual headers are shown where these name them. Absent: all headers are shown. */
  readonly about?: string;
}

export function httpInWords(event: HttpEvent, view: HttpView = {}): string[] {
  const number = `#${event.exchange}`;
  switch (event.kind) {
    case 'http-request': {
      const remarks = [
        event.deliberate && 'invalid on purpose',
        event.resumes !== undefined && `resumes #${event.resumes}`,
      ].filter(Boolean);
      const remark = remarks.length > 0 ? `  (${remarks.join(', ')})` : '';
      const url =
        view.origin !== undefined && event.url.startsWith(`${view.origin}/`)
          ? event.url.slice(view.origin.length)
          : event.url;
      return [`${number} ${event.method} ${url}${remark}`, ...headers(event.headers, view, true)];
    }
    case 'http-response':
      return [
        `${number} ${[event.status, event.reason].filter(Boolean).join(' ')}`,
        ...headers(event.headers, view, false),
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

function headers(list: HeaderList, { about }: HttpView, isRequest: boolean): string[] {
  const isNamed = (name: string) => (about === undefined ? !/^host$/i.test(name) : hasWord(about, name));
  const isAboutSessions = about === undefined || /\bsessions?\b/i.test(about);
  return list
    .filter(([name]) => !dull.test(name) && (isAboutSessions || !/^mcp-session-id$/i.test(name)))
    .filter(([name]) => !(isRequest && usual.test(name)) || isNamed(name))
    .map(([name, value]) => `  ${name}: ${value}`);
}

/** Whether a text names a header, also as a part of the id of a requirement. */
const hasWord = (text: string, name: string): boolean =>
  ` ${text.toLowerCase().replace(/[^a-z0-9]+/g, ' ')} `.includes(
    ` ${name.toLowerCase().replaceAll('-', ' ')} `,
  );
