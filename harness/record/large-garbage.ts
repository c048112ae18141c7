/** Garbage of large records is collected early: the engine lets the heap grow to several times what is in use. */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Texts from this length (characters) on are large. */
export const large = 512 * 1024;
/** Characters of large texts after which the garbage is collected; each has been copied several times by then. */
const most = 16 * 2 ** 20;

/** A parsed value, and what is derived from it, takes as much memory as this many characters. */
const perValue = 20;

let collector: (() => void) | undefined;

function collect(): void {
  if (!collector) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collector();
}

export class LargeGarbage {
  private characters = 0;

  /**
   * Counts a text that has been read or sent.
   * @param length in characters
   * @param values in the text, if it is parsed
   */
  add(length: number, values = 0): void {
    if (length < large) return;
    this.characters += length + values * perValue;
    if (this.characters < most) return;
    this.characters = 0;
    collect();
  }
}

/** Growth of the heap (bytes) in synchronous work after which its garbage is collected. */
const mostGrowth = 64 * 2 ** 20;

/**
 * Collects the garbage of long synchronous work: the engine marks it beside the work, which makes new garbage faster than
 * that, so that a list of 50,000 tools needs 500 MB while 150 MB are in use.
 */
export class HeapGrowth {
  private before = usedHeap();

  /** Collects garbage when there may be much. @param release drops references to what is not needed any more */
  collect(release: () => void): void {
    if (usedHeap() - this.before < mostGrowth) return;
    release();
    collect();
    this.before = usedHeap();
  }
}

const usedHeap = (): number => getHeapStatistics().used_heap_size;
