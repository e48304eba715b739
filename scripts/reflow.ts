/**
 * Keeps the lines of Markdown within 120 columns. Paragraphs and list items with a longer line are wrapped. Tables,
 * code, headings and HTML stay unchanged. `npm run format` does this for every page of the repository.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pages, proseOf } from "./pages.ts"

/** Maximum columns of a line of Markdown. */
const WIDTH = 120

const FENCE = /^\s*```/
const BLANK = /^\s*$/
const UNWRAPPED = /^(?:\s*[|<]|#)/
const ITEM = /^(\s*)((?:[-*+]|\d+\.) )/
/** Matches words that would start a list, a heading or a quotation at the beginning of a line. */
const MARK = /^(?:[-+*>#]|\d+[.)])$/

/** Returns the text with its long paragraphs wrapped. */
export function reflow(text: string): string {
  const wrapped: string[] = []
  for (const block of blocksOf(text.split("\n"))) {
    const isLong = block.isText && block.lines.some((line) => line.length > WIDTH)
    wrapped.push(...(isLong ? wrap(block.lines) : block.lines))
  }
  return wrapped.join("\n")
}

/** Returns the lines of pages that are too long, one readable line each. */
export function checkWidth(root = "."): string[] {
  return pages(root).flatMap((path) =>
    proseOf(readFileSync(join(root, path), "utf8"))
      .filter(({ text }) => isTooLong(text))
      .map(({ number }) => `${path}:${number} is too long ('npm run format' wraps it)`),
  )
}

/** Whether a line is too long and can be wrapped. A single long word, such as an address, cannot be wrapped. */
function isTooLong(line: string): boolean {
  return line.length > WIDTH && !UNWRAPPED.test(line) && /\S\s+\S/.test(line.replace(ITEM, ""))
}

interface Block {
  readonly isText: boolean
  readonly lines: string[]
}

/** Splits a page into blocks. Each paragraph and list item is one block, and all other lines are separate blocks. */
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let isCode = false
  let open: Block | undefined
  for (const line of lines) {
    if (FENCE.test(line)) isCode = !isCode
    const isText = !isCode && !FENCE.test(line) && !BLANK.test(line) && !UNWRAPPED.test(line)
    if (isText && open !== undefined && !ITEM.test(line)) {
      open.lines.push(line)
      continue
    }
    const block = { isText, lines: [line] }
    open = isText ? block : undefined
    blocks.push(block)
  }
  return blocks
}

function wrap(lines: readonly string[]): string[] {
  const [head = "", ...rest] = lines
  const item = ITEM.exec(head)
  const first = item?.[0] ?? /^\s*/.exec(head)?.[0] ?? ""
  const indent = " ".repeat(first.length)
  const text = [head.slice(first.length), ...rest.map((line) => line.trim())].join(" ")
  const wrapped: string[] = []
  let line = ""
  for (const word of wordsOf(text)) {
    if (line !== "" && indent.length + line.length + 1 + word.length > WIDTH) {
      wrapped.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  wrapped.push(line)
  return wrapped.map((each, index) => `${index === 0 ? first : indent}${each}`)
}

/**
 * Returns the words between which a line may be broken. Code is kept together, and no line may start with a list
 * marker.
 */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const word of text.split(/ +/)) {
    const last = words.at(-1)
    const isOpen = last !== undefined && last.split("`").length % 2 === 0
    if (last !== undefined && (isOpen || MARK.test(word)))
      words[words.length - 1] = `${last} ${word}`
    else if (word !== "") words.push(word)
  }
  return words
}

if (import.meta.main) {
  for (const path of pages()) {
    const text = await Bun.file(path).text()
    const wrapped = reflow(text)
    if (wrapped !== text) await Bun.write(path, wrapped)
  }
}
