/**
 * Parser for WWW-Authenticate (RFC 9110 §11.6.1): several challenges in one field, each with its parameters.
 */

interface Challenge {
  /** In the original spelling. */
  readonly scheme: string;
  /** In order, names in lower case; quotes and escapes are removed. */
  readonly params: readonly (readonly [name: string, value: string])[];
  /** The opaque value in place of parameters. */
  readonly token68: string | undefined;
}

export interface Challenges {
  readonly challenges: readonly Challenge[];
  /** The text at the first syntax error; undefined for a valid list of challenges. */
  readonly flaw: string | undefined;
}

const token = /[\w!#$%&'*+.^`|~-]+/y;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
const token68 = /[\w.~+/-]+=*/y;

/** Parses all values of the field, each line separately, because no challenge continues in the next line. */
export function parseChallenges(lines: readonly string[]): Challenges {
  const challenges: Challenge[] = [];
  for (const line of lines) {
    const reader = new Reader(line);
    challenges.push(...reader.challenges());
    if (reader.flaw !== undefined) return { challenges, flaw: reader.flaw };
  }
  return { challenges, flaw: undefined };
}

class Reader {
  flaw: string | undefined;
  private at = 0;

  constructor(private readonly text: string) {}

  challenges(): Challenge[] {
    const found: Challenge[] = [];
    this.skip(/[\s,]*/y);
    while (this.at < this.text.length && this.flaw === undefined) {
      const scheme = this.take(token);
      if (scheme === undefined || !this.endsWord()) this.fail();
      else found.push(this.rest(scheme));
      this.skip(/[\s,]*/y);
    }
    return found;
  }

  /** The rest of a challenge after its scheme: parameters, one opaque value, or nothing. */
  private rest(scheme: string): Challenge {
    const params: [string, string][] = [];
    this.skip(/\s*/y);
    const opaque = this.opaque();
    if (opaque !== undefined) return { scheme, params, token68: opaque };
    for (let first = true; this.flaw === undefined; first = false) {
      const before = this.at;
      const commas = this.take(/[\s,]*/y) ?? '';
      const param = first || commas.includes(',') ? this.param() : undefined;
      if (!param) {
        this.at = before;
        break;
      }
      params.push(param);
    }
    return { scheme, params, token68: undefined };
  }

  private param(): [string, string] | undefined {
    const before = this.at;
    const name = this.take(token);
    const equals = name === undefined ? undefined : this.take(/\s*=\s*/y);
    if (name === undefined || equals === undefined) {
      this.at = before;
      return undefined;
    }
    if (this.text[this.at] === '"') {
      const value = this.take(quoted);
      if (value === undefined) this.fail();
      else if (!this.endsWord()) this.fail();
      return [name.toLowerCase(), (value ?? '').slice(1, -1).replace(/\\(.)/g, '$1')];
    }
    const value = this.take(token);
    if (value === undefined || !this.endsWord()) this.fail();
    return [name.toLowerCase(), value ?? ''];
  }

  private opaque(): string | undefined {
    const before = this.at;
    const value = this.take(token68);
    const next = this.text.slice(this.at);
    if (value !== undefined && /^\s*(,|$)/.test(next)) return value;
    this.at = before;
    return undefined;
  }

  private endsWord(): boolean {
    return this.at >= this.text.length || /[\s,]/.test(this.text[this.at]!);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.at = pattern.lastIndex;
    return found[0];
  }

  private skip(pattern: RegExp): void {
    this.take(pattern);
  }

  private fail(): void {
    this.flaw ??= this.text.slice(this.at, this.at + 60) || 'the end';
  }
}

/** The challenges for access tokens: Bearer, and DPoP for tokens that are bound to a key (RFC 9449 §7.1). */
export const bearerOf = ({ challenges }: Challenges): readonly Challenge[] =>
  challenges.filter(c => /^(bearer|dpop)$/i.test(c.scheme));

/** The first value of a parameter in these challenges. */
export function bearerParam(all: Challenges, name: string): string | undefined {
  for (const { params } of bearerOf(all)) {
    const found = params.find(([key]) => key === name);
    if (found) return found[1];
  }
  return undefined;
}
