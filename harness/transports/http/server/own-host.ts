/** Requests from pages of other sites: a page can make a browser send requests to a port of this host (DNS rebinding). */

/** Names of this host, and those that the user added, in lower case. */
const usual = ['127.0.0.1', 'localhost', '[::1]'];

const nameIn = (authority: string): string => authority.replace(/:\d+$/, '').toLowerCase();

/**
 * The reason to refuse a request with status 403; undefined for a request to this host.
 * @param allowed further names, in lower case
 */
export function whyForeign(
  header: (name: string) => string | undefined,
  allowed: readonly string[] = [],
): string | undefined {
  const isOwn = (name: string) =>
    usual.includes(name) || name.endsWith('.localhost') || allowed.includes(name);
  const host = header('host');
  // no browser sends a Host that is not valid: it is recorded, and judged
  if (host !== undefined && URL.canParse(`http://${host}`) && !isOwn(nameIn(host)))
    return `Host ${host.slice(0, 200)} is not this host.`;
  const [, authority] = /^https?:\/\/([^/]*)$/i.exec(header('origin') ?? '') ?? [];
  if (authority !== undefined && !isOwn(nameIn(authority)))
    return `Origin ${authority.slice(0, 200)} is not this host.`;
  return undefined;
}
