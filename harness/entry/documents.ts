/** Documents that a command makes at its end: each in a file or on standard output. */

import { dirname } from 'node:path';
import { exitCodes } from '../judge/verdict.js';
import { UsageError } from '../report/pattern.js';
import { parseFolder, unknownName } from './arguments.js';
import { type Destination, FileDestination, StandardDestination } from './destination.js';
import { wantsColor } from './output.js';

/** What a document has to know about its destination. */
export interface Place {
  readonly color: boolean;
  readonly columns: number;
}

/** The documents that `--reporter name[=file]` asks for; without any, the first format on standard output. */
export class Documents<F extends string> {
  private readonly asked: { readonly format: F; readonly file: string | undefined }[];

  /** @throws UsageError for an unknown format, a missing folder, or two documents on standard output */
  constructor(reporters: readonly string[], formats: readonly F[]) {
    this.asked = reporters.map(text => {
      const at = text.indexOf('=');
      const [name, file] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
      const format = formats.find(known => known === name);
      if (format === undefined) throw unknownName('reporter', name, formats);
      if (file !== undefined) parseFolder(`--reporter ${text}`, dirname(file));
      return { format, file };
    });
    if (this.asked.every(({ file }) => file !== undefined))
      this.asked.unshift({ format: formats[0]!, file: undefined });
    if (this.asked.filter(({ file }) => file === undefined).length > 1)
      throw new UsageError(
        'only one --reporter can use standard output: give the others a file, as in html=page.html.',
      );
  }

  /**
   * Writes all documents.
   * @returns the exit code: 0, or 2 when a document could not be written
   */
  async write(render: Readonly<Record<F, (place: Place) => Promise<string>>>): Promise<number> {
    let exitCode: number = exitCodes.conforms;
    for (const { format, file } of this.asked) {
      const { isTTY, columns } = process.stdout;
      const place = { color: file === undefined && wantsColor(Boolean(isTTY)), columns: columns || 100 };
      const text = await render[format](place);
      const target: Destination =
        file === undefined
          ? new StandardDestination(process.stdout, 'standard output')
          : new FileDestination(file);
      target.write(text);
      const problem = await target.finish();
      if (problem === undefined) continue;
      console.error(`mcp-conform: ${problem}`);
      exitCode = exitCodes.usage;
    }
    return exitCode;
  }
}
