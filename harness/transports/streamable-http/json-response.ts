/** The JSON response to a POST: one message, or an array of messages for an array of requests. */

import type { HeaderList } from '../../record/event.js';
import type { Message } from '../../record/message.js';
import type { Reply } from '../http/server/reply.js';
import type { Outgoing } from '../link.js';

export class JsonResponse {
  private readonly parts: Outgoing[] = [];

  constructor(
    private readonly reply: Reply,
    private readonly batched: boolean,
    private readonly headers: HeaderList,
  ) {}

  /** @param last whether the response is complete with this message */
  add(out: Outgoing, last: boolean): Message[] {
    this.parts.push(out);
    if (!last) return [];
    const texts = this.parts.map(part => part.text);
    const whole = this.batched && !texts[0]?.trimStart().startsWith('[');
    const deliberate = this.parts.some(part => part.deliberate) ? true : undefined;
    return this.reply.finish(200, this.headers, whole ? `[${texts.join(',')}]` : texts.join('\n'), {
      deliberate,
    });
  }
}
