/**
 * The number of a vocabulary's tokens relative to OpenAI's o200k, in hundredths. `margin` is a factor on the tokens of
 * o200k. `characters` has the additional tokens for each character of a class. The values were measured on 41 texts in
 * 29 scripts with the published tokenizers (decision 8), with a reserve of 15 %. Classes that are not listed are within
 * the margin.
 */
interface Vocabulary {
  readonly margin: number
  readonly characters: Readonly<Partial<Record<CharacterClass, number>>>
}

/**
 * Classes of characters for which vocabularies differ. `repeated` is an ASCII character that is equal to the previous
 * character. Any other repeated character counts as `repeatedOther` in addition to its own class.
 */
type CharacterClass =
  | "digit"
  | "break"
  | "carriageReturn"
  | "repeated"
  | "repeatedOther"
  | "latin"
  | "alphabets"
  | "indic"
  | "southeastAsian"
  | "cjk"
  | "symbols"
  | "astral"
  | "others"

/**
 * Used for models with an unknown tokenizer. It has the maximum of all published vocabularies, which for many scripts
 * is Llama 2's.
 */
const UNKNOWN: Vocabulary = {
  margin: 170,
  characters: {
    digit: 55,
    break: 90,
    carriageReturn: 115,
    repeated: 5,
    repeatedOther: 60,
    latin: 107,
    alphabets: 97,
    indic: 230,
    southeastAsian: 235,
    cjk: 91,
    symbols: 20,
    astral: 33,
    others: 197,
  },
}

/** The vocabulary for each model, by the vendor's name for the model. The first match applies. */
const VOCABULARIES: readonly { readonly models: RegExp; readonly vocabulary: Vocabulary }[] = [
  // OpenAI's o200k.
  {
    models: /gpt-(4o|4\.[15]|[5-9]|oss)|chatgpt|(^|[/.-])o[134](-|$)/,
    vocabulary: { margin: 140, characters: {} },
  },
  // OpenAI's cl100k.
  {
    models: /gpt-(3\.5|35|4(-|$))/,
    vocabulary: {
      margin: 140,
      characters: {
        repeatedOther: 30,
        latin: 21,
        alphabets: 77,
        indic: 153,
        southeastAsian: 152,
        cjk: 24,
        astral: 15,
        others: 197,
      },
    },
  },
  // The vocabulary of Claude 2, the last one that was published. Later vocabularies of Claude produce up to 1.35 times
  // as many tokens for English.
  {
    models: /claude/,
    vocabulary: {
      margin: 160,
      characters: {
        break: 5,
        carriageReturn: 5,
        repeated: 2,
        latin: 107,
        alphabets: 97,
        indic: 197,
        southeastAsian: 235,
        cjk: 24,
        others: 189,
      },
    },
  },
  {
    models: /gemini|gemma/,
    vocabulary: {
      margin: 140,
      characters: {
        digit: 55,
        carriageReturn: 200,
        repeated: 5,
        repeatedOther: 60,
        indic: 17,
        southeastAsian: 20,
        others: 33,
      },
    },
  },
  {
    models: /llama-?3/,
    vocabulary: {
      margin: 140,
      characters: {
        repeatedOther: 60,
        alphabets: 66,
        indic: 152,
        southeastAsian: 152,
        others: 197,
      },
    },
  },
  {
    models: /^(?!.*distill).*deepseek/,
    vocabulary: {
      margin: 140,
      characters: {
        break: 4,
        carriageReturn: 4,
        alphabets: 4,
        indic: 35,
        southeastAsian: 45,
        others: 37,
      },
    },
  },
  {
    models: /qwen|qwq/,
    vocabulary: {
      margin: 140,
      characters: { digit: 55, alphabets: 47, indic: 108, southeastAsian: 98, others: 82 },
    },
  },
]

/** The number of characters of each class in a text. */
export type CharacterCounts = ReadonlyMap<CharacterClass, number>

/** Returns the highest number of tokens of a text over several models. */
export function mostTokens(
  { tokens, characters }: { readonly tokens: number; readonly characters: CharacterCounts },
  models: readonly string[],
): number {
  let most = 0
  for (const model of models) {
    const { margin, characters: rates } = vocabularyOf(model)
    let sum = tokens * margin
    for (const [kind, count] of characters) sum += count * (rates[kind] ?? 0)
    most = Math.max(most, sum)
  }
  return Math.ceil(most / 100)
}

function vocabularyOf(model: string): Vocabulary {
  const name = model.toLowerCase()
  return VOCABULARIES.find(({ models }) => models.test(name))?.vocabulary ?? UNKNOWN
}

/** Counts the characters of a text by class, except for single ASCII letters and punctuation marks. */
export function characterCounts(text: string): CharacterCounts {
  const counts = new Map<CharacterClass, number>()
  let before = 0
  let repeated = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) ?? 0
    if (code > 0xff_ff) index++
    const kind = code < 0x80 ? asciiClass(code, before) : classOf(code)
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (code >= 0x80 && code === before) repeated++
    before = code
  }
  if (repeated > 0) counts.set("repeatedOther", repeated)
  return counts
}

function asciiClass(code: number, before: number): CharacterClass | undefined {
  if (code >= 0x30 && code <= 0x39) return "digit"
  if (code === 0x0d) return "carriageReturn"
  if (code < 0x20) return "break"
  return code === before ? "repeated" : undefined
}

/** The last code point and the class of each block of Unicode, in order. */
const BLOCKS: readonly (readonly [last: number, kind: CharacterClass])[] = [
  [0x03_6f, "latin"],
  [0x05_2f, "alphabets"],
  [0x05_8f, "others"],
  [0x08_ff, "alphabets"],
  [0x0d_ff, "indic"],
  [0x10_9f, "southeastAsian"],
  [0x17_7f, "others"],
  [0x17_ff, "southeastAsian"],
  [0x1d_ff, "others"],
  [0x1e_ff, "latin"],
  [0x1f_ff, "alphabets"],
  [0x2e_7f, "symbols"],
  [0xd7_ff, "cjk"],
  [0xf8_ff, "others"],
  [0xfa_ff, "cjk"],
  [0xfe_ff, "symbols"],
  [0xff_ff, "cjk"],
]

function classOf(code: number): CharacterClass {
  for (const [last, kind] of BLOCKS) if (code <= last) return kind
  return "astral"
}
