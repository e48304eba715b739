import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { anchorsIn, checkLinks } from "../../scripts/links.ts"
import { checkWidth, reflow } from "../../scripts/reflow.ts"

/** A constant, so that these paths are not checked as links. The pages do not exist. */
const D = "docs"

const LONG = "word ".repeat(30).trim()

const FILES: Readonly<Record<string, string>> = {
  "README.md": [
    "# A page",
    `[there](${D}/facts.md#f1), [itself](#a-page), [away](https://example.com/x.md)`,
    `[gone](${D}/gone.md), [no such](${D}/facts.md#f9), [out](../elsewhere.md)`,
    `\`[code](${D}/no.md)\``,
    "```",
    `[code](${D}/no.md) ${LONG}`,
    "```",
    `| ${LONG} |`,
    LONG,
    "`src/good.ts`, `src`, `src/*.ts`, `src/gone.ts` and `src/gone`, `part/good.ts`, `part/gone.ts`",
  ].join("\n"),
  [`${D}/facts.md`]: '# Facts\n\n### <a id="f1"></a>1. The first\n\n[up](../README.md)\n',
  "src/good.ts": `// ${D}/facts.md#f1, and ${D}/facts.md; https://example.com/${D}/other.md is not ours\n`,
  "src/part/good.ts": `// decision 1, and decision 7\n// ${"WI"}RE.md 5\n`,
  [`${D}/contribute/decisions/0001-first.md`]: "# 1. The first\n",
  "src/bad.ts": `/** See\n * ${D}/facts.md#f2 and ${D}/none.md. */\n`,
}

let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "links-"))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
})

afterAll(() => rmSync(root, { recursive: true }))

test("the link check reports broken links with their position", () => {
  expect(checkLinks(root)).toEqual([
    `README.md:3 leads nowhere: ${D}/gone.md`,
    `README.md:3 has no such anchor: ${D}/facts.md#f9`,
    "README.md:3 leads out of the repository: ../elsewhere.md",
    "README.md:10 is gone: src/gone.ts",
    "README.md:10 is gone: src/gone",
    "README.md:10 is gone: part/gone.ts",
    `src/bad.ts:2 has no such anchor: ${D}/facts.md#f2`,
    `src/bad.ts:2 leads nowhere: ${D}/none.md`,
    "src/part/good.ts:1 there is no decision 7",
    "src/part/good.ts:2 refers to a document that is not here",
  ])
})

test("the link check reports overlong lines of text, except in tables and code", () => {
  expect(checkWidth(root)).toEqual(["README.md:9 is too long ('npm run format' wraps it)"])
})

test("the link check recognizes explicit anchors and anchors of headings", () => {
  const page = '## Where is …?\n\n### <a id="f7"></a>7. `usage` is [counted](x.md)\n'
  expect([...anchorsIn(page)]).toEqual(["f7", "where-is-", "7-usage-is-counted"])
})

describe("the Markdown formatter", () => {
  test("wraps paragraphs and items, with indented continuation lines", () => {
    expect(reflow(LONG)).toBe(`${"word ".repeat(24).trim()}\n${"word ".repeat(6).trim()}`)
    expect(reflow(`- ${LONG}`)).toBe(
      `- ${"word ".repeat(23).trim()}\n  ${"word ".repeat(7).trim()}`,
    )
  })

  test("keeps tables, code, headings and short lines", () => {
    const page = [`| ${LONG} |`, "```", LONG, "```", `# ${LONG}`, "short", "lines"].join("\n")
    expect(reflow(page)).toBe(page)
  })

  test("never starts a line with a list marker, and never breaks a line inside code", () => {
    const text = `${"w".repeat(118)} - ${"x".repeat(10)} \`a b c d e f g h\` ${LONG}`
    expect(reflow(text).split("\n")[0]).toBe(`${"w".repeat(118)} -`)
    expect(reflow(`${LONG} \`a ${"b ".repeat(10)}c\``)).toContain(`\`a ${"b ".repeat(10)}c\``)
  })
})
