/** Whether anybody is there. */

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { waitFor } from '../../time/clock.js';
import type { ConnectionFailure } from '../link.js';

/** Whether something takes connections at a URL; undefined when it does not tell. @param ms the longest wait */
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

/** Own addresses that are tried; more tell nothing new. */
const most = 4;

/** For a server at a loopback address: whether it also takes connections at the other addresses of this machine. */
export async function exposure(url: URL, ms: number): Promise<{ address: string; accepted: boolean }[]> {
  const own = isLoopback(url) ? Object.values(networkInterfaces()).flatMap(all => all ?? []) : [];
  // an address that is good on one link only needs to be told which
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

/** Codes of errors that say nobody can be talked to there. */
export const unreachable = new RegExp(
  `^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|${tls})`,
);

/** Such an error in words. */
export function troubleAt(
  { href }: URL,
  { code, reason }: { code: string; reason: string },
): ConnectionFailure {
  if (code === 'ECONNREFUSED')
    return { reason: `Nothing takes connections at ${href}.`, details: ['Is the server running?'] };
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return { reason: `The host of ${href} is not known (${code}).`, details: [] };
  if (new RegExp(`^(${tls})`).test(code))
    return {
      reason: `No TLS connection to ${href}: ${reason} (${code}).`,
      details: ['For a certificate authority of your own, set NODE_EXTRA_CA_CERTS to its certificate.'],
    };
  return { reason: `${href} cannot be reached: ${reason} (${code}).`, details: [] };
}
