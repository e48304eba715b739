/** The kinds of text that the linter reads. */
export type Kind = "comment" | "message" | "test name" | "page" | "constant"

/** A piece of text that people read. */
export interface Passage {
  readonly kind: Kind
  /** Path relative to the root of the repository. */
  readonly path: string
  /** Line of the first character, starting at 1. */
  readonly line: number
  /** The text with its line breaks. Code and quotations are masked. */
  readonly text: string
  /** Whether the passage is a comment that documents a declaration. */
  readonly isDocumentation?: boolean
}

/** A fault in a passage, with a better wording. */
export interface Finding {
  readonly path: string
  readonly line: number
  readonly kind: Kind | "sentence"
  readonly phrase: string
  readonly instead: string
}

const CODE = /`[^`]*`|(?<=@param )[\w.]+|\{@link[^}]*\}|<[a-z/][^>]*>|https?:\/\/\S+/g
const QUOTATION = /"[^"\n]{1,80}"|“[^”]{1,200}”|(?<![\w)])'[^'\n]{1,60}'(?!\w)/g

/** Replaces code, addresses and quotations with letters, so that offsets and lines stay the same. */
export function mask(text: string): string {
  return text.replaceAll(CODE, hide).replaceAll(QUOTATION, hide)
}

function hide(code: string): string {
  return code.replaceAll(/[^\n`]/g, "x")
}

/** Returns the line in the file, starting at 1, of an offset in a passage. */
export function lineAt(passage: Passage, offset: number): number {
  return passage.line + passage.text.slice(0, offset).split("\n").length - 1
}

export function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
