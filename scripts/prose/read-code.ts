import { parseSync } from "oxc-parser"
import { mask, type Passage } from "./passage.ts"
import { constants, messages, testNames } from "./strings.ts"

/**
 * Returns the comments of a TypeScript file, its constants, its strings that people read, and the names of its tests.
 */
export function readCode(path: string, source: string): Passage[] {
  const { comments, program } = parseSync(path, source)
  const lines = new Lines(source)
  const texts = /\.test\.tsx?$/.test(path) ? testNames(program) : messages(path, source, program)
  return [
    ...joinLines(comments, source).map(({ start, end }) =>
      readComment(path, source.slice(start, end), lines.of(start)),
    ),
    ...[...constants(program), ...texts].map(({ kind, text, start }) => ({
      kind,
      path,
      line: lines.of(start),
      text: mask(text),
    })),
  ]
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Joins comments on consecutive lines. */
function joinLines(
  comments: readonly (Span & { readonly type: string })[],
  source: string,
): Span[] {
  const joined: { start: number; end: number; type: string }[] = []
  for (const { start, end, type } of comments) {
    const last = joined.at(-1)
    const isNext =
      last?.type === "Line" && type === "Line" && /^\n[ \t]*$/.test(source.slice(last.end, start))
    if (isNext) last.end = end
    else joined.push({ start, end, type })
  }
  return joined
}

function readComment(path: string, comment: string, line: number): Passage {
  const text = comment
    .replace(/\*\/$/, "")
    .replaceAll(/^([ \t]*)(\/\*\*?|\*|\/\/)/gm, (mark) => " ".repeat(mark.length))
  return {
    kind: "comment",
    path,
    line,
    text: mask(text),
    isDocumentation: comment.startsWith("/**"),
  }
}

/** Converts offsets in a source to line numbers. */
class Lines {
  readonly #starts: readonly number[]

  constructor(source: string) {
    const starts = [0]
    for (const { index } of source.matchAll(/\n/g)) starts.push(index + 1)
    this.#starts = starts
  }

  /** Returns the line of an offset, starting at 1. */
  of(offset: number): number {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
