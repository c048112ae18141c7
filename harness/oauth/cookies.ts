/** Cookies of a user agent, limited to the needs of logins (RFC 6265, without public suffixes). */

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  /** Set with a Domain attribute: also sent to subdomains. */
  readonly below: boolean;
  readonly path: string;
  /** Value of the SameSite attribute; undefined when absent. */
  readonly sameSite: string | undefined;
}

export class CookieJar {
  private cookies: Cookie[] = [];

  /** Stores the cookies of a response. */
  take(lines: readonly string[], url: URL): void {
    for (const line of lines) {
      const [pair = '', ...rest] = line.split(';').map(part => part.trim());
      const at = pair.indexOf('=');
      if (at < 1) continue;
      const attributes = new Map(
        rest.map(part => {
          const equals = part.indexOf('=');
          return equals < 0
            ? [part.toLowerCase(), '']
            : [part.slice(0, equals).toLowerCase(), part.slice(equals + 1)];
        }),
      );
      const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase();
      const cookie: Cookie = {
        name: pair.slice(0, at),
        value: pair.slice(at + 1),
        host: domain || url.hostname,
        below: Boolean(domain),
        path: attributes.get('path')?.startsWith('/') ? attributes.get('path')! : folder(url.pathname),
        sameSite: attributes.get('samesite'),
      };
      this.cookies = this.cookies.filter(
        c => c.name !== cookie.name || c.host !== cookie.host || c.path !== cookie.path,
      );
      if (!isOver(attributes)) this.cookies.push(cookie);
    }
  }

  /**
   * A jar with the same cookies and new values. @param value returns the new value; undefined omits the
   * cookie
   */
  copy(value: (cookie: Cookie) => string | undefined): CookieJar {
    const jar = new CookieJar();
    jar.cookies = this.cookies.flatMap(cookie => {
      const kept = value(cookie);
      return kept === undefined ? [] : [{ ...cookie, value: kept }];
    });
    return jar;
  }

  /** Cookies that a browser sends when another site submits a form. */
  crossSite(): CookieJar {
    return this.copy(({ sameSite, value }) => (/^(lax|strict)$/i.test(sameSite ?? '') ? undefined : value));
  }

  /** The Cookie header of a request; undefined when no cookie matches. */
  for(url: URL): string | undefined {
    const sent = this.cookies
      .filter(c => c.host === url.hostname || (c.below && url.hostname.endsWith(`.${c.host}`)))
      .filter(c => url.pathname === c.path || url.pathname.startsWith(c.path.replace(/\/?$/, '/')))
      .sort((a, b) => b.path.length - a.path.length);
    return sent.length === 0 ? undefined : sent.map(c => `${c.name}=${c.value}`).join('; ');
  }
}

const folder = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));

function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const age = attributes.get('max-age');
  if (age !== undefined) return Number(age) <= 0;
  const expires = attributes.get('expires');
  return expires !== undefined && Date.parse(expires) < Date.now();
}
