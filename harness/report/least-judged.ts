/** `--min-judged`: how many requirements a run has to judge. */

/** @param asked a number, or a percentage @param all number of requirements that apply */
export const leastJudged = (asked: string | undefined, all: number): number =>
  asked === undefined ? 0 : asked.endsWith('%') ? (all * Number.parseFloat(asked)) / 100 : Number(asked);
