/** The definition of a deviation of the reference gateway: the requirements it breaks, and middleware for each level. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import type { Deviation, Out } from '../fault.js';
import type { Memory } from '../fault-state.js';
import type { Meaning } from './meaning.js';
import type { TranslationPolicy } from './translation.js';

/** Where a message is, on its way through the gateway. */
export interface Place {
  /** The state of the deviation, one for the whole gateway. */
  readonly memory: Memory;
  /** A text that is the same for all messages of one client. */
  readonly client: string;
  /** The request of a response. */
  readonly ask?: JsonObject | undefined;
  /** Sends another message to the server, in place of the client; its response is dropped. */
  readonly toServer: (message: JsonObject) => void;
  /** Sends another message to the client. */
  readonly toClient: (message: JsonObject) => void;
}

/** An HTTP request on its way to the server, or a response on its way to the client. */
export interface GatewayHead {
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: number;
}

export interface GatewayHooks {
  /** A message of the client: itself, another one, several, or undefined for none. */
  toServer(message: JsonObject, place: Place): Out;
  /** A message of the server. */
  toClient(message: JsonObject, place: Place): Out;
  /** The headers of a request to the server. @param asked the headers of the client, with names in lower case */
  requestHead(head: GatewayHead, message: JsonObject | undefined, asked: Headers): GatewayHead;
  /** The head of a response to the client. */
  responseHead(head: GatewayHead, asked: Headers): GatewayHead;
  /** The text of an outgoing message, over stdio with its newline, in the form in which it is written. */
  write(text: string, to: 'server' | 'client'): string | readonly string[];
  /** A message of the client over HTTP, before it is forwarded: a status in place of the answer of the server. */
  refuses(message: JsonObject, asked: Headers, memory: Memory): number | undefined;
  /** A method whose results the gateway keeps for all clients, over HTTP before a server over HTTP. */
  shares(): string;
}

export type GatewayMiddleware = Partial<GatewayHooks>;

export interface GatewayDeviation extends Omit<Deviation<GatewayMiddleware>, 'role' | 'where' | 'over'> {
  readonly role: 'intermediary';
  readonly where?: (revision: Revision) => boolean;
  /** Transports on the side of the client, over which the deviation is visible; default: all. */
  readonly over?: readonly TransportId[];
  /** Transports on the side of the server; default: all. */
  readonly behind?: readonly TransportId[];
  /** The gateway translates for a client with a handshake, with these decisions. */
  readonly translation?: Partial<TranslationPolicy>;
}

/** Declares a deviation that requirements forbid, or that loses or changes messages. */
export const gatewayFault = (
  id: string,
  meaning: Meaning,
  ...middleware: GatewayMiddleware[]
): GatewayDeviation => ({
  id,
  role: 'intermediary',
  shows: meaning.breaks.filter(row => ofGateways.test(row)).map(row => `${row}#${id.replace(/^gw-/, '')}`),
  ...meaning,
  middleware,
});

/** Rows of gateways, whose breaches have the names of the faults that show them. */
const ofGateways = /^(gateway|http-headers\.intermediary)/;

/** Declares a legal but unusual behaviour, which no rule may report. */
export const gatewayQuirk = (
  id: string,
  meaning: Omit<Meaning, 'breaks'>,
  ...middleware: GatewayMiddleware[]
): GatewayDeviation => ({ id, role: 'intermediary', ...meaning, breaks: [], middleware });

export const onHead = (change: GatewayHooks['requestHead']): GatewayMiddleware => ({ requestHead: change });
export const onAnswerHead = (change: GatewayHooks['responseHead']): GatewayMiddleware => ({
  responseHead: change,
});
export const onWrite = (change: GatewayHooks['write']): GatewayMiddleware => ({ write: change });

const fits = (methods: string | readonly string[], method: unknown): boolean =>
  methods === '*' || [methods].flat().includes(method as string);

/** Changes requests and notifications of the client. */
export const toServer = (
  methods: string | readonly string[],
  change: GatewayHooks['toServer'],
): GatewayMiddleware => ({
  toServer: (message, place) =>
    'method' in message && fits(methods, message.method) ? change(message, place) : message,
});

/** Changes requests and notifications of the server. */
export const toClient = (
  methods: string | readonly string[],
  change: GatewayHooks['toClient'],
): GatewayMiddleware => ({
  toClient: (message, place) =>
    'method' in message && fits(methods, message.method) ? change(message, place) : message,
});

/** Changes responses of the server to requests with one of the methods. */
export const onReply = (
  methods: string | readonly string[],
  change: GatewayHooks['toClient'],
): GatewayMiddleware => ({
  toClient: (message, place) =>
    !('method' in message) && fits(methods, place.ask?.method) ? change(message, place) : message,
});

/** Changes the results in successful responses. */
export const onResult = (
  methods: string | readonly string[],
  change: (result: JsonObject, place: Place) => JsonObject,
): GatewayMiddleware =>
  onReply(methods, (message, place) =>
    'result' in message ? { ...message, result: change(message.result as JsonObject, place) } : message,
  );

/** Changes the errors in responses. */
export const onError = (change: (error: JsonObject, place: Place) => JsonObject): GatewayMiddleware =>
  onReply('*', (message, place) =>
    'error' in message ? { ...message, error: change(message.error as JsonObject, place) } : message,
  );

/** Changes responses of the client to requests of the server. */
export const onAnswer = (change: GatewayHooks['toServer']): GatewayMiddleware => ({
  toServer: (message, place) => ('method' in message ? message : change(message, place)),
});
