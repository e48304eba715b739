import { proseOf } from "../pages.ts"
import { mask, type Passage } from "./passage.ts"

/** Matches the beginning of a separate passage: a list item, a heading, a quotation or a table row. */
const BLOCK = /^\s*(?:[-*+] |\d+\. |#{1,6} |> |\|)/

/** Returns the paragraphs, list items, headings and table rows of a Markdown page, without its code. */
export function readPage(path: string, page: string): Passage[] {
  const blocks: { line: number; lines: string[] }[] = []
  let previous = -1
  for (const { text, number } of proseOf(page)) {
    const open = blocks.at(-1)
    if (text.trim() === "") continue
    const continues = open !== undefined && previous === number - 1 && !BLOCK.test(text)
    if (continues) open.lines.push(text)
    else blocks.push({ line: number, lines: [text] })
    previous = number
  }
  return blocks.map(({ line, lines }) => ({
    kind: "page",
    path,
    line,
    text: mask(lines.join("\n").replaceAll(/\]\([^)\s]*\)/g, "]")),
  }))
}
