/** Responses that the endpoints of the mock authorization server share. */

import type { Json } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';

const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export const json = (status: number, body: Json, headers: HttpReply['headers'] = {}): HttpReply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...notStored, ...headers },
  body: JSON.stringify(body),
});

/** An OAuth error as JSON (OAuth 2.1 §3.2.4, RFC 7591 §3.2.2). */
export const oauthError = (
  status: number,
  error: string,
  description: string,
  headers: HttpReply['headers'] = {},
): HttpReply => json(status, { error, error_description: description }, headers);

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

/** An HTML page for the user. No site may frame the page, and the page runs no script. */
export const page = (
  status: number,
  title: string,
  body: string,
  headers: HttpReply['headers'] = {},
): HttpReply => ({
  status,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    ...notStored,
    ...headers,
  },
  body: `<!doctype html><html lang="en"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}</html>`,
});

export const notFound: HttpReply = { status: 404, headers: {} };
