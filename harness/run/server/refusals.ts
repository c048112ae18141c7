/** Responses of something before the server: a gateway without its server, or a limit of the rate of requests. */

/** The run ends after this many such responses, with no other one between them; docs/limits.md lists it. */
const mostInARow = 30;

const statuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Counts them over all connections of a run. */
export class Refusals {
  private inARow = 0;

  /** @param onLimit called once at the limit, with the reason */
  constructor(private readonly onLimit: (reason: string) => void) {}

  /** Counts a response. @param status its status */
  count(status: number): void {
    this.inARow = statuses.has(status) ? this.inARow + 1 : 0;
    if (this.inARow !== mostInARow) return;
    const why =
      status === 429 ? 'the server limits the rate of requests' : 'a gateway answers in place of the server';
    this.onLimit(`the last ${mostInARow} responses have status ${status}: ${why}`);
  }
}
