import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { parseSync } from "oxc-parser"
import { checkSync } from "recheck"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"

/**
 * A regular expression cannot be interrupted: on a text that somebody else writes, it has to take time in proportion to
 * the text. What is listed here only meets short texts, or texts of the operator.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  "src/wire/bucket/": "answers and settings of the operator's own bucket",
  "src/cli/": "files and commands of the operator",
  "src/config/": "settings of the operator",
  "src/catalog/": "names of models, which are short",
  "src/dialects/transcription/formats/openai.ts": "names of models, which are short",
  "src/dialects/embedding/formats/cohere.ts": "names of models, which are short",
}

/** Time for the analysis of one expression; half of them take less than 50 ms. */
const TIMEOUT_MS = IS_EXHAUSTIVE ? 2_000 : 400

interface Literal {
  readonly place: string
  readonly pattern: string
  readonly flags: string
}

const ROOT = new URL("../../", import.meta.url).pathname

/** All regular expressions of the gateway that repeat something. */
function literals(): Literal[] {
  const files = [...new Bun.Glob("{src,contract}/**/*.ts").scanSync({ cwd: ROOT, absolute: true })]
  return files.toSorted().flatMap((file) => literalsIn(file))
}

function literalsIn(file: string): Literal[] {
  const text = readFileSync(file, "utf8")
  const found: Literal[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    const { type, regex, start } = node as {
      type?: string
      regex?: { pattern: string; flags: string }
      start?: number
    }
    if (type === "Literal" && regex && /[*+]|\{\d+,/.test(regex.pattern)) {
      const line = text.slice(0, start).split("\n").length
      found.push({ ...regex, place: `${relative(ROOT, file)}:${line}` })
    }
    for (const member of Object.values(node)) visit(member)
  }
  visit(parseSync(file, text).program)
  return found
}

test("regular expressions that meet foreign text take time in proportion to it", () => {
  const found = literals().filter(
    ({ place }) => !Object.keys(ALLOWED).some((allowed) => place.startsWith(allowed)),
  )
  expect(found.length).toBeGreaterThan(150)
  const checked = new Map<string, string>()
  for (const { place, pattern, flags } of found) {
    const name = `/${pattern}/${flags}`
    if (checked.has(name)) continue
    const result = checkSync(pattern, flags, { timeout: TIMEOUT_MS, attackTimeout: 500 })
    const isSlow = result.status === "vulnerable"
    checked.set(name, isSlow ? `${place} ${name}: slow for ${result.attack.pattern}` : "")
  }
  expect([...checked.values()].filter((fault) => fault !== "")).toEqual([])
})
