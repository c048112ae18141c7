/** One line of the output: what was measured, the figure, what it is to be. */
export type Row = (what: string, figure: string, target?: string) => void;

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
