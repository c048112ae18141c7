/** The arrows between the rooms of `harness/`. */

import { rooms, wiringRooms } from './house-rules.js';
import { files, importsFrom, isTest } from './source-files.js';

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly target: string;
}

/** Inner rooms first: `run/server` before `run`. */
const innerFirst = [...Object.keys(rooms), ...wiringRooms].sort((a, b) => b.length - a.length);

/** Files directly in `harness/`. */
export const atRoot = (file: string): boolean => /^harness\/[^/]+\.ts$/.test(file);

/** The room of a file; undefined outside the rooms. */
export const roomOf = (file: string): string | undefined =>
  innerFirst.find(room => file.startsWith(`harness/${room}/`));

/** Every import from one room into another; the rooms that connect all others do not count. */
export const arrows: readonly Arrow[] = files
  .filter(file => file.startsWith('harness/') && !isTest(file))
  .flatMap(file =>
    importsFrom(file).flatMap(target => {
      const [from, to] = [atRoot(file) ? 'harness' : roomOf(file), roomOf(target)];
      if (from === undefined || to === undefined || from === to || wiringRooms.includes(from)) return [];
      return [{ from, to, file, target }];
    }),
  );
