/** Messages and the end of a link, kept until a listener is added. */

import type { Message } from '../record/message.js';

export class MessageBuffer {
  private readonly messageListeners: ((message: Message) => void)[] = [];
  private endListeners: (() => void)[] = [];
  private readonly kept: Message[] = [];
  private ended = false;

  /** Delivers messages after the current synchronous code of the harness. */
  deliver(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    this.kept.push(...messages);
    queueMicrotask(() => this.hand());
  }

  private hand(): void {
    if (this.messageListeners.length === 0) return;
    for (const message of this.kept.splice(0)) for (const listen of this.messageListeners) listen(message);
  }

  onMessage(listener: (message: Message) => void): void {
    this.messageListeners.push(listener);
    queueMicrotask(() => this.hand());
  }

  onEnd(listener: () => void): void {
    if (this.ended) queueMicrotask(listener);
    else this.endListeners.push(listener);
  }

  /** Ends the link; messages received before the end are delivered first. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    queueMicrotask(() => {
      for (const listener of this.endListeners) listener();
      this.endListeners = [];
    });
  }
}
