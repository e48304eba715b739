import { type Finding, lineAt, type Passage, wordsIn } from "./passage.ts"

/** Maximum number of words in a sentence of a page for users. */
const MAX_WORDS = 25
/** Share of a page's sentences that may be longer, because lists of names and conditions often cannot be divided. */
const LONG_SHARE = 0.05
/** Maximum number of words in any sentence. */
const MAX_LONG_WORDS = 40

/** Matches the paths of pages for users. Other pages are for contributors. */
const USER_PAGE = /^(?:README\.md$|docs\/(?!(?:adding|contribute|decisions|wire)\/))/
/**
 * Minimum number of items, separated by commas, in a text that counts as a list of names. Such lists are longer than
 * sentences.
 */
const MIN_LISTED = 8
/** Average words of an item in such a list. */
const MAX_WORDS_PER_ITEM = 3
/** Ends a sentence: a full stop before a space or the end, or the border of a table cell. */
const END = /[.!?](?=[\s*)_]|$)|\|/g

/** Returns the sentences of a page that are too long, longest first. */
export function longSentences(path: string, passages: readonly Passage[]): Finding[] {
  if (!USER_PAGE.test(path)) return []
  const sentences = passages.flatMap((passage) => sentencesOf(passage))
  const long = sentences
    .filter(({ words }) => words > MAX_WORDS)
    .toSorted((a, b) => b.words - a.words)
  const excess = long.length - Math.max(1, Math.floor(sentences.length * LONG_SHARE))
  return long
    .filter(({ words }, index) => index < excess || words > MAX_LONG_WORDS)
    .map(({ text, words, line }) => ({
      kind: "sentence",
      path,
      line,
      phrase: `${text.slice(0, 40)}...`,
      instead: `divide it: ${words} words; the limit is ${MAX_WORDS}, and ${MAX_LONG_WORDS} for one sentence in 20`,
    }))
}

interface Sentence {
  readonly text: string
  readonly words: number
  readonly line: number
}

function sentencesOf(passage: Passage): Sentence[] {
  const ends = [...passage.text.matchAll(END)].map(({ index }) => index + 1)
  const starts = [0, ...ends]
  return starts
    .map((start, index) => {
      const text = passage.text.slice(start, ends[index])
      const offset = start + text.length - text.trimStart().length
      return {
        text: text.trim().replaceAll(/\s+/g, " "),
        words: wordsIn(text),
        line: lineAt(passage, offset),
      }
    })
    .filter(({ text, words }) => words > 0 && !isList(text, words))
}

/** Whether a sentence is a list of names. */
function isList(text: string, words: number): boolean {
  const items = text.split(",").length
  return items >= MIN_LISTED && words / items <= MAX_WORDS_PER_ITEM
}
