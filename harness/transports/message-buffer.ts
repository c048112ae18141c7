/** Messages and the end of a link, kept for who comes to listen. */

import type { Message } from '../record/message.js';

export class MessageBuffer {
  private readonly messageListeners: ((message: Message) => void)[] = [];
  private endListeners: (() => void)[] = [];
  private readonly kept: Message[] = [];
  private ended = false;

  /** Hands messages over once our end is done with what it is doing. */
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

  /** Nothing more can come; what has come is handed over before. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    queueMicrotask(() => {
      for (const listener of this.endListeners) listener();
      this.endListeners = [];
    });
  }
}
