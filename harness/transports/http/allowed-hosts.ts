/**
 * Hosts that requests outside of MCP go to. The subject chooses these addresses, so that without a limit it could
 * make the harness contact hosts that only this machine can reach.
 */

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

type Zone = 'public' | 'private' | 'link-local' | 'loopback';

const subnets: Readonly<Record<Exclude<Zone, 'public'>, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10', '0.0.0.0/8', '::/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
};

const lists = Object.entries(subnets).map(([zone, all]) => {
  const list = new BlockList();
  for (const subnet of all) {
    const [address = '', bits] = subnet.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return { zone: zone as Zone, list };
});

/** IPv4 addresses inside of IPv6 ones, as URLs write them: in hexadecimal digits. */
function unmapped(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined) return address.replace(/^::ffff:(?=\d+\.)/i, '');
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low!, 16);
  return [24, 16, 8, 0].map(bits => (number >>> bits) & 255).join('.');
}

function zoneOf(text: string): Zone {
  const address = unmapped(text);
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return lists.find(({ list }) => list.check(address, family))?.zone ?? 'public';
}

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

async function zonesOf(url: URL): Promise<readonly Zone[]> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return [zoneOf(host)];
  if (host.endsWith('localhost')) return ['loopback'];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => zoneOf(address));
  } catch {
    return []; // the request fails, with the reason
  }
}

/** The usual names of this host, which a subject may mix. */
const isThisHost = (host: string): boolean => ['127.0.0.1', '::1', 'localhost'].includes(host);

export class AllowedHosts {
  private readonly hosts: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;

  /** @param named addresses that the user gave */
  constructor(named: readonly URL[]) {
    this.hosts = new Set(named.map(hostOf));
    this.origins = new Set(named.map(({ origin }) => origin));
  }

  /** Whether the user gave an address with this origin. */
  names({ origin }: URL): boolean {
    return this.origins.has(origin);
  }

  /** The reason why a request is not sent; undefined when it is. */
  async whyNot(url: URL): Promise<string | undefined> {
    const host = hostOf(url);
    if (this.hosts.has(host) || (isThisHost(host) && [...this.hosts].some(isThisHost))) return undefined;
    const zone = (await zonesOf(url)).find(one => one !== 'public');
    return zone === undefined
      ? undefined
      : `not requested: ${url.host} is a ${zone} address that the user did not name (--allow-external allows it)`;
  }
}

/** Code of the end of a request that is not sent. */
export const notAllowed = 'NOT_ALLOWED';
