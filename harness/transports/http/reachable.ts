/** Tests whether an address accepts connections. */

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { waitFor } from '../../time/clock.js';
import type { ConnectionFailure } from '../link.js';

/**
 * Whether a URL accepts connections; undefined when there is no result in time. @param ms the longest wait
 */
export async function accepts({ hostname, port, protocol }: URL, ms: number): Promise<boolean | undefined> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  });
  const told = new Promise<boolean>(resolve => {
    socket.once('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
  });
  const inTime = await waitFor(told, ms);
  socket.destroy();
  return inTime ? told : undefined;
}

/** Number of own addresses to try; more addresses give no new information. */
const most = 4;

/**
 * For a server at a loopback address: whether the server also accepts connections at the other addresses of
 * this machine.
 */
export async function exposure(url: URL, ms: number): Promise<{ address: string; accepted: boolean }[]> {
  const own = isLoopback(url) ? Object.values(networkInterfaces()).flatMap(all => all ?? []) : [];
  // a link-local address needs an interface name, so it is skipped
  const open = own.filter(a => !a.internal && !a.address.startsWith('fe80:')).slice(0, most);
  const tried = await Promise.all(
    open.map(async ({ address, family }) => {
      const there = new URL(url);
      there.hostname = family === 'IPv6' ? `[${address}]` : address;
      return { address, accepted: await accepts(there, ms) };
    }),
  );
  return tried.flatMap(({ address, accepted }) => (accepted === undefined ? [] : [{ address, accepted }]));
}

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

const tls = 'CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO';

/** Error codes that mean that no communication is possible. */
export const unreachable = new RegExp(
  `^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|${tls})`,
);

/** A description of such an error. */
export function troubleAt(
  { href }: URL,
  { code, reason }: { code: string; reason: string },
): ConnectionFailure {
  if (code === 'ECONNREFUSED')
    return {
      reason: `No server accepts connections at ${href}.`,
      details: ['Check that the server is running.'],
    };
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return { reason: `The host of ${href} is unknown (${code}).`, details: [] };
  if (new RegExp(`^(${tls})`).test(code))
    return {
      reason: `No TLS connection to ${href}: ${reason.includes(':') ? code : `${reason} (${code})`}.`,
      details: [
        /WRONG_VERSION_NUMBER|EPROTO|PACKET_LENGTH/.test(`${code} ${reason}`)
          ? 'The port does not speak TLS: try the same URL with http instead of https.'
          : 'For a private certificate authority, set NODE_EXTRA_CA_CERTS to the path of its certificate.',
      ],
    };
  return { reason: `${href} cannot be reached: ${reason} (${code}).`, details: [] };
}
