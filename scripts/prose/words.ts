import type { Construction } from "./constructions.ts"

const NUMBERS =
  "ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|a hundred|\\d+"

/** Returns a construction for a word that should be replaced with a standard term. */
function word(pattern: string, instead: string): Construction {
  return {
    pattern: new RegExp(String.raw`(?<![-.\w/])(?:${pattern})(?![-\w/])`, "gi"),
    instead: `write ${instead}`,
  }
}

/** Unusual words, and second names for the same thing. */
export const WORDS: readonly Construction[] = [
  word("pictures?", "'image'"),
  word("dear(?:er|est)", "'more expensive', 'most expensive', 'higher'"),
  word(`some (?:${NUMBERS})`, "'about'"),
  word("small letters?", "'lowercase letters'"),
  word("e-mails?", "'email'"),
  word("mend(?:s|ed|ing)?", "'fix' or 'repair'"),
  word("in vain", "'without success', or what failed"),
  word("for ever", "'forever', 'without end'"),
  word(
    "till|whilst|amongst|anew|afresh|hitherto|thereof|whereof|therein|thereby|thereupon",
    "the everyday word",
  ),
  word("learnt", "'learned'"),
  word(
    "by and by|now and then|ever so often|all the same|as it were|so to speak",
    "a precise word, or nothing",
  ),
]

/** Names of constants that do not show that the value is a limit, a timeout or an interval. */
export const CONSTANTS: readonly Construction[] = [
  {
    pattern:
      /^(?:(?:MOST|LONGEST|FEWEST|DEAREST|PATIENCE)(?:_\w+)?|PAUSE|\w+_(?:EVERY|PATIENCE))$/g,
    instead: "write 'MAX_...', 'MIN_...', '..._TIMEOUT_MS' or '..._INTERVAL_MS'",
    kind: "constant",
  },
]
