/**
 * Callback ports of a client. The processes of a client that always listens on the same port disturb each other, so that
 * its launches with authorization run one at a time.
 */

import type { ProtectedServer } from '../../protected-server/server.js';

/** Launches that are observed before the launches run side by side, where they show no port. */
const mostObserved = 3;

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** The ports on this machine to which the authorization servers were asked to send the client back. */
export function callbackPorts(servers: readonly (ProtectedServer | undefined)[]): Set<string> {
  const addresses = servers
    .flatMap(server => server?.authorizations() ?? [])
    .flatMap(({ params }) => params.get('redirect_uri') ?? [])
    .filter(address => URL.canParse(address))
    .map(address => new URL(address));
  return new Set(addresses.filter(isLoopback).flatMap(({ port }) => (port === '' ? [] : [port])));
}

export class CallbackPorts {
  private readonly seen = new Set<string>();
  private launches = 0;
  private state: 'unknown' | 'fixed' | 'free' = 'unknown';
  private last: Promise<void> = Promise.resolve();
  private running = 0;

  /** True if two launches used one port. */
  get isFixed(): boolean {
    return this.state === 'fixed';
  }

  /** True if a further launch with authorization would have to wait. */
  get isBusy(): boolean {
    return this.state !== 'free' && this.running > 0;
  }

  /** Records the ports of one launch. */
  note(ports: ReadonlySet<string>): void {
    if (this.state !== 'unknown') return;
    this.launches++;
    const known = this.seen.size > 0;
    if ([...ports].some(port => this.seen.has(port))) this.state = 'fixed';
    else if ((known && ports.size > 0) || this.launches >= mostObserved) this.state = 'free';
    for (const port of ports) this.seen.add(port);
  }

  /**
   * Runs a launch with authorization: after the one before it, unless each launch has a port of its own.
   * @param launch calls its parameter with the ports it has used so far: the next launch need not wait for its end once
   * they show that each launch has its own
   */
  async inTurn<T extends { readonly callbackPorts: ReadonlySet<string> }>(
    launch: (onPorts: (ports: ReadonlySet<string>) => void) => Promise<T>,
  ): Promise<T> {
    const before = this.last;
    let release: () => void = () => {};
    this.last = new Promise(resolve => {
      release = resolve;
    });
    this.running++;
    try {
      await before;
      if (this.state === 'free') release();
      let noted = false;
      const result = await launch(ports => {
        if (noted || ports.size === 0) return;
        noted = true;
        this.note(ports);
        if (this.state === 'free') release();
      });
      if (!noted) this.note(result.callbackPorts);
      return result;
    } finally {
      this.running--;
      release();
    }
  }
}
