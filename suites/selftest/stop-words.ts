/** Words that texts for users avoid, in one place, each with the reason and the replacement. */

export interface StopWord {
  readonly pattern: RegExp;
  readonly instead: string;
  readonly because: string;
}

const image = 'an image: readers from other languages take it literally';
const oneTerm = 'one technical word for each thing';
const clumsy = 'longer than its meaning';
const spoken = 'spoken or literary, not the register of a specification';

/** Apply to every text for users. */
export const stopWords: readonly StopWord[] = [
  { pattern: /\bour (own )?end\b/i, instead: 'the harness', because: oneTerm },
  { pattern: /\bprocessors?\b/i, instead: 'CPU', because: oneTerm },
  { pattern: /\bodd(ly)?\b/i, instead: 'unusual, invalid', because: oneTerm },
  { pattern: /\btakes? (its )?leave\b|\bleave-taking\b/i, instead: 'exit, terminate, close', because: image },
  { pattern: /\bcompany\b/i, instead: 'other lanes', because: image },
  { pattern: /\bknock(s|ed|ing)?\b/i, instead: 'probe', because: image },
  { pattern: /\b(the|a|its|no) doors?\b/i, instead: 'access, authentication', because: image },
  { pattern: /\bauditions?\b/i, instead: 'role discovery', because: image },
  { pattern: /\bsittings?\b/i, instead: 'lane', because: image },
  { pattern: /\bporch\b|\bscenery\b/i, instead: 'gate', because: image },
  { pattern: /\bgriefs?\b/i, instead: 'crash', because: image },
  { pattern: /\bgood once\b/i, instead: 'expired', because: spoken },
  { pattern: /\btalked into\b/i, instead: 'caused by', because: image },
  { pattern: /\bin the wild\b/i, instead: 'in released software', because: image },
  { pattern: /\bby right\b/i, instead: 'allowed', because: spoken },
  { pattern: /\bso much as\b/i, instead: 'even', because: spoken },
  { pattern: /\bany ?more\b/i, instead: 'after …, no longer', because: 'a time that the text does not name' },
  { pattern: /\bno telling\b/i, instead: 'not judged', because: spoken },
  { pattern: /\ball the same\b/i, instead: 'nevertheless', because: spoken },
  { pattern: /\bas it were\b|\bof course\b|\bindeed\b/i, instead: 'nothing', because: clumsy },
  { pattern: /\b(nobody|somebody|anybody)\b/i, instead: 'no user, a user', because: 'the actor has a name' },
  { pattern: /\bis (not )?to be (seen|had|found|known)\b/i, instead: 'is not observable', because: spoken },
  {
    pattern: /\bwhat (it|they|he|she|is|was|were|are|has|had|cannot|does|comes|came)\b/i,
    instead: 'the noun itself',
    because: 'a clause in place of a noun',
  },
  {
    pattern: /(^|[.;:] )those (who|that|which)\b/i,
    instead: 'the noun itself',
    because: 'a pronoun without a noun',
  },
  { pattern: /\bone that\b/i, instead: 'the noun itself', because: 'a pronoun without a noun' },
  {
    pattern: /\bthe (latter|former)\b/i,
    instead: 'the noun itself',
    because: 'the reader has to search for the noun',
  },
  { pattern: /(^|[,;:] )who(ever)?\b/i, instead: 'a client that …', because: 'a clause in place of a noun' },
  { pattern: /\b(bears?|bore|borne)\b/i, instead: 'tolerate, does not break', because: image },
  { pattern: /\btells?\b(?! the difference)/i, instead: 'report, state, inform', because: oneTerm },
  { pattern: /\btold\b/i, instead: 'informed, reported', because: oneTerm },
  { pattern: /\b(are|is) (mute|dumb|deaf)\b/i, instead: 'does not respond', because: image },
  { pattern: /\bmade[- ]up\b/i, instead: 'unknown, forged', because: spoken },
  { pattern: /\btraps?\b/i, instead: 'canary', because: image },
];

/** Words that no text begins with: such a clause has no subject, or one that the reader has to guess. */
export const firstWords: readonly StopWord[] = [
  {
    pattern: /^(who|whoever|whose|whom)\b/i,
    instead: 'A client that …',
    because: 'a clause in place of a noun',
  },
  { pattern: /^what(ever)?\b/i, instead: 'the noun', because: 'a clause in place of a noun' },
  {
    pattern: /^(that|this|these|those|it|they|he|she)\b(?! \w+ (is|are) )/i,
    instead: 'the noun',
    because: 'a pronoun without a noun',
  },
  {
    pattern: /^(such|same|one|others?|another)\b(?! \w)/i,
    instead: 'the noun',
    because: 'a pronoun without a noun',
  },
];

export const modalVerbs = /\b(must|should|shall|may|might|can|cannot|will|would|could)\b/i;
