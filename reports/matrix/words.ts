/** Words and marks for the cells of a matrix, the same in all reports. */

import type {
  CellReport,
  CellVerdict,
  Difference,
  MatrixReport,
} from '../../harness/report/matrix-report.js';

export const verdictWords: Readonly<Record<CellVerdict, string>> = {
  works: 'works',
  'works-with-violations': 'works with violations',
  refuses: 'refuses',
  breaks: 'breaks',
  hangs: 'hangs',
  'cannot-be-tried': 'cannot be tried',
};

export const verdictMarks: Readonly<Record<CellVerdict, string>> = {
  works: '✓',
  'works-with-violations': '!',
  refuses: '⊘',
  breaks: '✗',
  hangs: '…',
  'cannot-be-tried': '–',
};

/** `works with violations (server)` */
export const wordsFor = ({ verdict, whose }: CellReport): string =>
  `${verdictWords[verdict]}${whose.length > 0 ? ` (${whose.join(' and ')})` : ''}`;

export const differenceWords: Readonly<Record<Difference['kind'], string>> = {
  'result-by-client': 'Different results by client',
  'result-by-server': 'Different results by server',
  'other-revision': 'Another revision than planned',
  'one-transport-only': 'Works on one transport only',
};

const shortTransports: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  'streamable-http': 'HTTP',
  'http-sse': 'SSE',
};

export const shortTransport = (transport: string | null): string =>
  shortTransports[transport ?? ''] ?? 'none';

/** The cells of a pair, in the order of the report. */
export const cellsOf = ({ cells }: MatrixReport, server: string, client: string): CellReport[] =>
  cells.filter(cell => cell.server === server && cell.client === client);
