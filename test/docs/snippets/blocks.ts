import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pages } from "../../../scripts/pages.ts"

const ROOT = join(import.meta.dir, "../../..")
/** Matches pages with code snippets for users. */
const USER_PAGES = /^(?:README\.md|docs\/(?:use|run|reference)\/)/
const BLOCK = /^```(\w+)\n([^]*?)^```$/gm

export interface Block {
  /** The page and the line of the block, for error messages. */
  readonly place: string
  readonly language: string
  readonly text: string
}

/** Returns the code blocks in README.md and in the pages for users. */
export function userBlocks(): Block[] {
  return pages(ROOT)
    .filter((page) => USER_PAGES.test(page))
    .flatMap((page) => {
      const text = readFileSync(join(ROOT, page), "utf8")
      return [...text.matchAll(BLOCK)].map(({ index, 1: language = "", 2: code = "" }) => ({
        place: `${page}:${text.slice(0, index).split("\n").length}`,
        language,
        text: code,
      }))
    })
}

/** Returns the commands of a shell block. Continued lines are joined, and comments are removed. */
export function shellCommands({ text }: Block): string[] {
  return text
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}
