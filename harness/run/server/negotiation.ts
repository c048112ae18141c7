/** Before anything is planned: which revisions a server offers, and how our end gets in where it asks for authorization. */

import { newestFirst, type Revision } from '../../../spec/revisions.js';
import {
  type Admission,
  type Credentials,
  type Found,
  follow,
  guardedIn,
  obtain,
  openDoor,
} from '../../oauth/login.js';
import type { Peer } from '../../peer/peer.js';
import { declares } from '../../record/conversation.js';
import type { History } from '../../record/history.js';
import { resultOf } from '../../record/message.js';
import type { Subject } from '../../subject/subject.js';
import { Unjudgeable } from '../could-not-judge.js';
import type { Dialer, Opened } from './connections.js';
import { type Lists, lists, offered } from './probe.js';

export interface EntranceOptions {
  readonly subject: Subject;
  readonly revision?: 'latest' | 'all' | Revision;
  readonly credentials?: Credentials;
}

export interface Entered {
  readonly revisions: readonly Revision[];
  readonly offers: readonly string[];
  /** The first conversation; undefined when nobody is let in. */
  readonly first: Opened | undefined;
  /** What it lists, if that has been asked for. */
  readonly listed?: Lists;
  readonly admission: Admission;
  /** Why most cannot be judged. */
  readonly locked?: Unjudgeable;
}

export class Entrance {
  constructor(
    private readonly dialer: Dialer,
    private readonly history: History,
    private readonly options: EntranceOptions,
  ) {
    for (const secret of this.givenSecrets()) this.history.secrets.learn(secret);
  }

  private get wanted() {
    return this.options.revision ?? 'latest';
  }

  /** What the user gave: it is in no report. */
  private givenSecrets(): (string | undefined)[] {
    const { subject, credentials = {} } = this.options;
    // a value that is no secret may stand anywhere, and has to stay readable
    const headers = Object.entries('url' in subject ? subject.headers : {})
      .filter(([name, value]) => /auth|token|key|secret|cookie/i.test(name) || value.length >= 20)
      .map(([, value]) => value);
    const bare = headers.map(value => value.replace(/^\w+ (?=\S)/, ''));
    const { tokens = {}, login = {}, client } = credentials;
    return [...headers, ...bare, ...Object.values(tokens), ...Object.values(login), client?.secret];
  }

  /** @throws Unjudgeable when the subject does not talk, or does not offer what was asked for */
  async find(): Promise<Entered> {
    const { subject } = this.options;
    if (!('url' in subject) || this.dialer.transport !== 'streamable-http')
      return { ...(await offered(this.dialer, this.wanted)), admission: openDoor };
    const given = Object.entries(subject.headers).find(([name]) => name.toLowerCase() === 'authorization');
    return given ? this.withToken(given[1]) : this.withoutToken(new URL(subject.url));
  }

  /** The user gave a token: does it take one? */
  private async withToken(value: string): Promise<Entered> {
    const entered = await this.enter();
    if (entered instanceof Unjudgeable) return this.lockedOut(entered, await this.admission(undefined));
    const refused = await this.knock(entered.revisions[0]!);
    const token = /^bearer +(\S+)$/i.exec(value)?.[1];
    const admission = await this.admission(token);
    // whatever the status was: what a token opens is closed without one
    const guarded = admission.guarded ?? (refused ? 'initialize' : undefined);
    return { ...entered, admission: { ...admission, guarded } };
  }

  /** What is offered; why nothing is, when that is for want of a token. */
  private async enter(): Promise<Awaited<ReturnType<typeof offered>> | Unjudgeable> {
    try {
      return await offered(this.dialer, this.wanted);
    } catch (error) {
      if (error instanceof Unjudgeable && this.guarded !== undefined) return error;
      throw error;
    }
  }

  /** Nobody is let in: what can be seen from outside is judged all the same. */
  private lockedOut(why: Unjudgeable, admission: Admission, hint?: string): Entered {
    const locked = new Unjudgeable(why.message, [...why.details, ...(hint ? [hint] : [])]);
    return {
      revisions: [this.asked],
      offers: [],
      first: undefined,
      admission: { ...admission, inside: false },
      locked,
    };
  }

  /** Comes as somebody without a token would, as far as that goes. @returns whether nobody is let in */
  private async knock(revision: Revision): Promise<boolean> {
    const { peer, exchange } = await this.dialer.open({ revision, case: 0, anonymous: true });
    const status = peer.conversation.httpOf(exchange.request)?.status;
    if (exchange.reply) await look(peer, resultOf(exchange)?.capabilities);
    this.dialer.close(peer);
    return status !== undefined && status >= 300;
  }

  private async withoutToken(server: URL): Promise<Entered> {
    const entered = await this.enter();
    const open = !(entered instanceof Unjudgeable);
    // what is open to everybody often ends at the lists
    const listed = open ? await lists(entered.first.peer) : undefined;
    if (open && listed && this.guarded === undefined) return { ...entered, admission: openDoor, listed };
    const got = await this.authorize(server);
    if ('token' in got) {
      if (open) this.dialer.close(entered.first.peer);
      const again = await this.enter();
      const admission = await this.admission(got.token, got.found);
      if (!(again instanceof Unjudgeable)) return { ...again, admission };
      return this.lockedOut(again, admission, 'A token was got by the flow, and is refused.');
    }
    const admission = await this.admission(undefined, got.found);
    if (open) return { ...entered, admission };
    return this.lockedOut(entered, admission, `A token could not be had by the flow: ${got.why}.`);
  }

  private get guarded(): string | undefined {
    return guardedIn(this.history);
  }

  private get asked(): Revision {
    const { wanted } = this;
    return typeof wanted === 'string' ? newestFirst().find(r => r.authorization)! : wanted;
  }

  private async authorize(server: URL): Promise<({ token: string } | { why: string }) & { found: Found }> {
    return this.beside(async web => {
      const found = await follow(server, this.history, web);
      const got = await obtain(found, this.options.credentials ?? {}, web);
      if ('token' in got) this.dialer.authorize(got.token);
      return { ...got, found };
    });
  }

  private async admission(token: string | undefined, known?: Found): Promise<Admission> {
    const { subject, credentials = {} } = this.options;
    const { guarded } = this;
    const found =
      known ??
      (guarded !== undefined && 'url' in subject
        ? await this.beside(web => follow(new URL(subject.url), this.history, web))
        : undefined);
    const otherwise = found !== undefined && !found.asDescribed;
    return { guarded, otherwise, inside: true, tokens: credentials.tokens ?? {}, token, mint: found?.mint };
  }

  /** Requests that belong to no conversation with the server, on a record of their own. */
  private async beside<T>(act: (web: NonNullable<Peer['link']['http']>['web']) => Promise<T>): Promise<T> {
    const peer = this.dialer.dial({ revision: this.asked, case: 0, anonymous: true });
    try {
      return await act(peer.link.http!.web);
    } finally {
      this.dialer.close(peer);
    }
  }
}

/** What is open to everybody often ends at the first list. */
async function look(peer: Peer, declared: unknown): Promise<void> {
  const lists = { tools: 'tools/list', resources: 'resources/list', prompts: 'prompts/list' };
  for (const [capability, method] of Object.entries(lists))
    if (declares(declared as Parameters<typeof declares>[0], capability))
      return void (await peer.request(method));
}
