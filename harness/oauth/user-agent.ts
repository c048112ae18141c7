/**
 * The user and the browser, without a window: follows redirects, stores cookies, fills in forms, gives
 * consent.
 */

import type { OAuthEndpoint } from '../record/event.js';
import type { Web, WebAnswer } from '../transports/http/side-request.js';
import { CookieJar } from './cookies.js';
import type { Button, Field, Form } from './forms.js';

/** Input of the user, by the name or the type of a field: `{ user: 'alice', password: '…' }`. */
export type Login = Readonly<Record<string, string>>;

export interface Visit {
  /** The redirect to the client; undefined when there was none. */
  readonly callback: URL | undefined;
  /** All responses of the flow, in order. */
  readonly hops: readonly WebAnswer[];
  /** Pages for the user, with the pressed button of each. */
  readonly pages: readonly { readonly answer: WebAnswer; readonly pressed: string | undefined }[];
  /** The reason for an end without a redirect to the client. */
  readonly stuck: string | undefined;
}

export interface VisitOptions {
  /** Recognises the redirect to the client, which is not requested. */
  readonly isCallback: (url: URL) => boolean;
  /** Action on pages: `agree` (default), or `stop` at the first one. */
  readonly manner?: 'agree' | 'stop';
  /** Kind of the first address; default `authorization`. */
  readonly endpoint?: OAuthEndpoint;
  /** The request breaks a rule on purpose. */
  readonly deliberate?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Step {
  readonly url: URL;
  readonly form?: URLSearchParams;
  /**
   * Origin of the page that leads to this request; undefined for an address opened from outside the browser.
   */
  readonly origin?: string;
  /** Relation between that origin and all addresses of the redirect chain (Fetch Metadata §2.3). */
  readonly site: 'none' | 'same-origin' | 'cross-site';
}

/** Maximum number of pages and redirects. */
const patience = 15;

export class UserAgent {
  constructor(
    private readonly web: Web,
    private readonly login: Login,
    readonly cookies = new CookieJar(),
  ) {}

  /** The same browser, with another record. */
  on(web: Web): UserAgent {
    return new UserAgent(web, this.login, this.cookies);
  }

  visit(address: URL, options: VisitOptions): Promise<Visit> {
    return this.go({ url: address, site: 'none' }, options);
  }

  /** Submits the form of a page, but from a page of another origin. @param origin of that page */
  async lure(page: WebAnswer, origin: string, options: VisitOptions): Promise<Visit> {
    const filled = await this.fillIn(page);
    if (!filled) return { callback: undefined, hops: [], pages: [], stuck: await describePage(page) };
    const stranger = new UserAgent(this.web, this.login, this.cookies.crossSite());
    return stranger.go({ ...filled.next, origin, site: 'cross-site' }, { ...options, endpoint: 'page' });
  }

  private async go(start: Step, options: VisitOptions): Promise<Visit> {
    const hops: WebAnswer[] = [];
    const pages: { answer: WebAnswer; pressed: string | undefined }[] = [];
    const done = (stuck?: string, callback?: URL): Visit => ({ callback, hops, pages, stuck });
    // the page of another origin gets no password
    const mayGet = (url: URL) => url.origin === start.url.origin || this.web.isNamed(url);
    let next = start;
    while (hops.length < patience) {
      const answer = await this.open(next, hops.length === 0, options);
      hops.push(answer);
      const { location, status = 0 } = answer;
      if (answer.failure !== undefined) return done(`${next.url.host} does not respond: ${answer.failure}`);
      if (status >= 300 && status < 400 && location) {
        if (options.isCallback(location)) return done(undefined, location);
        if (!/^https?:$/.test(location.protocol)) return done(`a redirect to ${location.protocol}`);
        const again = (status === 307 || status === 308) && next.form;
        const away = next.site === 'same-origin' && location.origin !== next.origin;
        const { form: _, ...rest } = next;
        next = { ...rest, url: location, ...(again && { form: again }), ...(away && { site: 'cross-site' }) };
        continue;
      }
      const page = await this.fillIn(answer);
      pages.push({ answer, pressed: options.manner === 'stop' ? undefined : page?.pressed });
      if (options.manner === 'stop') return done('stopped at a page');
      if (!page) return done(await describePage(answer));
      if (page.hasLogin && !mayGet(page.next.url))
        return done(
          `a page at ${answer.url.origin} sends the input for --login to ${page.next.url.origin}, which is not the origin of the authorization endpoint`,
        );
      if (page.missing) return done(`a page asks for ${page.missing}; give it with --login`);
      next = page.next;
    }
    return done(`no end after ${patience} pages and redirects`);
  }

  private async open(
    { url, form, origin, site }: Step,
    first: boolean,
    { deliberate, headers, endpoint = 'authorization' }: VisitOptions,
  ): Promise<WebAnswer> {
    const cookie = this.cookies.for(url);
    const answer = await this.web.ask({
      endpoint: first ? endpoint : 'page',
      url,
      ...(form && { form }),
      headers: {
        Accept: 'text/html,*/*;q=0.8',
        'Sec-Fetch-Site': site,
        'Sec-Fetch-Mode': 'navigate',
        'Sec-Fetch-Dest': 'document',
        ...(form && origin && { Origin: origin }),
        ...(cookie && { Cookie: cookie }),
        ...(first && headers),
      },
      ...(first && deliberate && { deliberate }),
    });
    this.cookies.take(answer.headers('set-cookie'), url);
    return answer;
  }

  /** The first usable form, filled in. */
  private async fillIn(answer: WebAnswer) {
    if (!/html/i.test(answer.header('content-type') ?? '')) return undefined;
    const { formsOf } = await import('./forms.js');
    const forms = formsOf(answer.text, answer.url);
    const form =
      forms.find(f => f.buttons.some(agrees)) ?? forms.find(f => f.fields.length + f.buttons.length > 0);
    if (!form) return undefined;
    const values = form.fields.map(field => ({ field, value: this.valueFor(field) }));
    const missing = values.find(({ field, value }) => value === undefined && field.type === 'password')?.field
      .name;
    const pressed = chooseButton(form);
    const params = new URLSearchParams();
    for (const { field, value } of values) if (value !== undefined) params.append(field.name, value);
    if (pressed?.name !== undefined) params.append(pressed.name, pressed.value);
    const url = new URL(form.action);
    if (form.method === 'GET') url.search = params.toString();
    return {
      next: stepFrom(answer.url, url, form.method === 'POST' ? params : undefined),
      pressed: pressed?.label,
      missing,
      /** True if the form contains input of the user. */
      hasLogin: form.fields.some(field => field.type !== 'hidden' && this.givenFor(field) !== undefined),
    };
  }

  private givenFor({ name, type }: Pick<Field, 'name' | 'type'>): string | undefined {
    return this.login[name] ?? this.login[type];
  }

  /** Undefined: the field is omitted, or its value is unknown. */
  private valueFor({ name, type, value, checked }: Field): string | undefined {
    if (type === 'hidden' || type === 'select') return value;
    if (type === 'checkbox') return value;
    if (type === 'radio') return checked ? value : undefined;
    const own = this.givenFor({ name, type });
    if (own !== undefined) return own;
    if (type === 'password') return value || undefined;
    return value || (/user|login|mail|name|account/i.test(name) ? (this.login.user ?? '') : '');
  }
}

/** The request that results from a form on a page. */
const stepFrom = ({ origin }: URL, url: URL, form: URLSearchParams | undefined): Step => ({
  url,
  ...(form && { form }),
  origin,
  site: origin === url.origin ? 'same-origin' : 'cross-site',
});

const yes =
  /approve|allow|accept|agree|continue|yes|grant|authori[sz]e|consent|confirm|sign.?in|log.?in|next|submit/i;
const no = /deny|cancel|reject|refuse|no\b|back|decline|sign.?out|log.?out/i;

const words = ({ label, name, value }: Button): string => `${label} ${name ?? ''} ${value}`;
const agrees = (button: Button): boolean => yes.test(words(button)) && !no.test(button.label);

const chooseButton = ({ buttons }: Form): Button | undefined =>
  buttons.find(agrees) ?? buttons.find(button => !no.test(words(button)));

async function describePage({ status, text, json }: WebAnswer): Promise<string> {
  const { excessOf } = await import('./forms.js');
  const excess = excessOf(text);
  if (excess !== undefined) return `a page that is not read: ${status} ${excess}`;
  const said = json
    ? JSON.stringify(json)
    : text
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
  return `a page without a usable form: ${status} ${said.slice(0, 200)}`;
}
