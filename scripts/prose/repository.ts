import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pages } from "../pages.ts"
import { CONSTRUCTIONS, matchesOf } from "./constructions.ts"
import { type Finding, lineAt, type Passage, wordsIn } from "./passage.ts"
import { readCode } from "./read-code.ts"
import { readPage } from "./read-page.ts"
import { readSql } from "./read-sql.ts"
import { longSentences } from "./sentences.ts"
import { FRAGMENTS } from "./test-names.ts"
import { CONSTANTS, WORDS } from "./words.ts"

const SOURCES =
  "{bench,console,contract,price-data,scripts,simulator,src,test,torture}/**/*.{ts,tsx,sql}"
/** Copies, generated files, and the phrases of this linter. */
const IGNORED =
  /(?:^|\/)(?:node_modules|dist)\/|\.d\.ts$|^scripts\/prose\/|^test\/docs\/prose\.test\.ts$/

const RULES = [...CONSTRUCTIONS, ...WORDS, ...FRAGMENTS]

/** A file with the findings in its text. */
export interface Reading {
  readonly path: string
  readonly words: ReadonlyMap<Finding["kind"], number>
  readonly findings: readonly Finding[]
}

/** Reads all text of the repository. */
export function readRepository(root = "."): Reading[] {
  const sources = [...new Bun.Glob(SOURCES).scanSync(root)].filter((path) => !IGNORED.test(path))
  return [...sources.toSorted(), ...pages(root)].map((path) =>
    readText(path, readFileSync(join(root, path), "utf8")),
  )
}

/** Reads the text of a file. */
export function readText(path: string, text: string): Reading {
  const passages = passagesOf(path, text)
  const words = new Map<Finding["kind"], number>()
  for (const passage of passages)
    words.set(passage.kind, (words.get(passage.kind) ?? 0) + wordsIn(passage.text))
  const findings = passages.flatMap((passage) => findingsIn(passage))
  return { path, words, findings: [...findings, ...longSentences(path, passages)] }
}

function passagesOf(path: string, text: string): Passage[] {
  if (path.endsWith(".md")) return readPage(path, text)
  return path.endsWith(".sql") ? readSql(path, text) : readCode(path, text)
}

function findingsIn(passage: Passage): Finding[] {
  const rules = passage.kind === "constant" ? CONSTANTS : RULES
  return rules.flatMap((rule) =>
    matchesOf(passage, rule).map(({ offset, phrase }) => ({
      path: passage.path,
      line: lineAt(passage, offset),
      kind: passage.kind,
      phrase,
      instead: rule.instead,
    })),
  )
}
