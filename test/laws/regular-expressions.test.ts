import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { relative } from "node:path"
import { parseSync } from "oxc-parser"
import { checkSync } from "recheck"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"

/**
 * Places whose expressions are not checked, because they match only short texts or texts of the operator. Elsewhere,
 * the time must grow linearly with the length of a text, because a regular expression cannot be interrupted.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  "src/wire/bucket/": "answers and settings of the operator's own bucket",
  "src/cli/": "files and commands of the operator",
  "src/config/": "settings of the operator",
  "src/catalog/": "names of models, which are short",
  "src/dialects/transcription/formats/openai.ts": "names of models, which are short",
  "src/dialects/embedding/formats/cohere.ts": "names of models, which are short",
}

const IS_UPDATING = process.env["UPDATE_GOLDEN"] === "1"

/** Maximum time in milliseconds for the analysis of one expression. Half of the analyses take less than 50 ms. */
const TIMEOUT_MS = IS_EXHAUSTIVE || IS_UPDATING ? 2_000 : 400

/**
 * Expressions that have already passed, one per line. An analysis takes long and depends only on the expression.
 * Therefore `npm test` analyses only new expressions, and `npm run test:all` analyses all. `UPDATE_GOLDEN=1` writes the
 * list.
 */
const PASSED = new URL("./passed-expressions.txt", import.meta.url)

interface Literal {
  readonly place: string
  readonly pattern: string
  readonly flags: string
}

const ROOT = new URL("../../", import.meta.url).pathname

/** Returns all regular expressions of the gateway that contain a repetition. */
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

test("every regular expression for untrusted text takes linear time", () => {
  const found = literals().filter(
    ({ place }) => !Object.keys(ALLOWED).some((allowed) => place.startsWith(allowed)),
  )
  expect(found.length).toBeGreaterThan(150)
  const passed = new Set(readFileSync(PASSED, "utf8").split("\n"))
  const checked = new Map<string, string>()
  for (const { place, pattern, flags } of found) {
    const name = `/${pattern}/${flags}`
    if (checked.has(name)) continue
    const isKnown = passed.has(name) && !IS_EXHAUSTIVE && !IS_UPDATING
    checked.set(name, isKnown ? "" : faultOf(pattern, flags, `${place} ${name}`))
  }
  expect([...checked.values()].filter((fault) => fault !== "")).toEqual([])
  if (IS_UPDATING) writeFileSync(PASSED, `${[...checked.keys()].toSorted().join("\n")}\n`)
})

/** Returns the reason why an expression is slow; empty if it is fast. */
function faultOf(pattern: string, flags: string, name: string): string {
  const result = checkSync(pattern, flags, { timeout: TIMEOUT_MS, attackTimeout: 500 })
  return result.status === "vulnerable" ? `${name}: slow for ${result.attack.pattern}` : ""
}
