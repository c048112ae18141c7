import { describe, expect, test } from 'vitest';
import { Channel, eventQueue } from './event-queue.js';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

describe('a queue of events', () => {
  test('starts the work with the first read, and gives the items in order', async () => {
    let hasBegun = false;
    const events = eventQueue<number>(async push => {
      hasBegun = true;
      push(1);
      push(2);
      await new Promise(setImmediate);
      push(3);
    });
    await new Promise(setImmediate);
    expect(hasBegun).toBe(false);
    expect(await all(events)).toEqual([1, 2, 3]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('gives the error of the work after the items', async () => {
    const events = eventQueue<number>(async push => {
      push(1);
      throw new Error('broken');
    });
    expect(await events.next()).toEqual({ done: false, value: 1 });
    await expect(events.next()).rejects.toThrow('broken');
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('keeps nothing after its reader has stopped', async () => {
    const channel = new Channel<number>();
    channel.push(1);
    channel.push(2);
    for await (const item of channel) {
      expect(item).toBe(1);
      break;
    }
    channel.push(3);
    expect(await all(channel)).toEqual([]);
  });
});
