import { describe, expect, test } from "bun:test"
import { readText } from "../../scripts/prose/repository.ts"
import { checkSections, type Limit, lowerLimits } from "../../scripts/prose/sections.ts"

/** A constant, so that these paths are not taken for pages of the repository. */
const D = "docs"

function phrasesOf(path: string, text: string): string[] {
  return readText(path, text).findings.map(({ line, phrase }) => `${line} ${phrase}`)
}

function commentPhrases(comment: string): string[] {
  return phrasesOf("src/part/file.ts", `/** ${comment} */\nexport const x = 1\n`)
}

describe("the prose linter", () => {
  test.each([
    ["Removes what is stored.", "what is"],
    ["Whatever its vendor reports.", "Whatever its"],
    ["The account of who pays.", "of who pays"],
    ["Closed, whoever opened it.", "whoever"],
    ["Undefined where it is unknown.", "Undefined where"],
    ["Where a model has no price, the request fails.", "Where a model has no price,"],
    ["A request without a key, where there is a limit.", "where there"],
    ["Waits until nobody reads.", "nobody"],
    ["The prices of a model that has none.", "none"],
    ["Two streams, of which one ends.", "of which"],
    ["Deployments such as have a price.", "such as have"],
    ["The call is to end.", "is to end"],
    ["A text that is to be read.", "is to be read"],
    ["The vendor tells the count.", "tells"],
    ["A socket that cannot know its peer.", "cannot know"],
    ["The process looks again.", "looks"],
    ["Waits for so many bytes.", "so many bytes"],
    ["Of a chat.", "Of a"],
    ["How long a call waits.", "How long a"],
    ["Draws a picture.", "picture"],
    ["The dearest model of some thirty.", "dearest"],
    ["After some thirty seconds.", "some thirty"],
  ])("finds the construction in '%s'", (comment, phrase) => {
    expect(commentPhrases(comment)).toContain(`1 ${phrase}`)
  })

  test("finds a phrase that continues on the next line", () => {
    const source = "const x = 1\n/**\n * Removes stored data, and what\n * is old.\n */\n"
    expect(phrasesOf("src/part/file.ts", source)).toEqual(["3 what is"])
  })

  test("finds phrases in SQL comments", () => {
    const source = "SELECT 1;\n-- Locks what is read.\n/* Of no use to none. */\n"
    expect(phrasesOf("src/part/file.sql", source)).toEqual(["2 what is", "3 none"])
  })

  test("finds phrases in SQL comments within a template", () => {
    const source = "const x = 1\nconst schema = `\n  key TEXT,\n  -- What is left.\n  left INT`\n"
    expect(phrasesOf("src/part/file.ts", source)).toEqual(["4 What is"])
  })

  test("finds phrases in messages, but not in SQL, short values, or strings in tests", () => {
    const source = [
      "throw new Error(`nothing is known of ${name}, where there is no key`)",
      'database.query("SELECT none FROM rows WHERE what is null")',
      'const effort = "none"',
      'import { read } from "../said/what-is/none.ts"',
      'const query = "encoding=linear16&container=none&rate=8000 per second"',
      'const money = "None (no budgets, no rate card)"',
    ].join("\n")
    expect(phrasesOf("src/part/file.ts", source)).toEqual(["1 where there"])
    expect(phrasesOf("test/part/file.test.ts", source)).toEqual([])
  })

  test("finds constants whose name does not show that they are a limit or an interval", () => {
    const source = "const LONGEST_NAME = 9\nconst LOOK_EVERY = 9\nconst NONE = MAX_NAME_LENGTH\n"
    expect(phrasesOf("src/part/file.ts", source)).toEqual(["1 LONGEST_NAME", "2 LOOK_EVERY"])
  })

  test("finds test names that are fragments", () => {
    const source = [
      'test("is lost, and so is their proof", run)',
      'test.each(rows)("in the middle of a stream", run)',
      'it("one null byte", run)',
      'test("rejects a negative budget", run)',
      'test("keys expire together", run)',
      'test("uses one connection", run)',
      'test("in a hedge, the slower call is cancelled", run)',
      "test(`${name}: no key`, run)",
    ].join("\n")
    expect(phrasesOf("test/part/file.test.ts", source)).toEqual([
      "1 is",
      "2 in the middle of a stream",
      "3 one null byte",
    ])
  })

  test("allows one long sentence in twenty on a user page, and reports more", () => {
    const long = `${"word ".repeat(26)}end.`
    const longest = `${"word ".repeat(41)}end.`
    const findings = (path: string, text: string) =>
      readText(path, text).findings.map(
        ({ line, instead }) => `${line} ${/\d+ words/.exec(instead)}`,
      )
    expect(findings(`${D}/page.md`, `Short.\n\n${long}`)).toEqual([])
    expect(findings(`${D}/page.md`, `${long}\n\n${longest}`)).toEqual(["3 42 words"])
    expect(findings(`${D}/page.md`, `${long} ${long}`)).toEqual(["1 27 words"])
    expect(findings(`${D}/decisions/1.md`, longest)).toEqual([])
    const names = Array.from({ length: 30 }, (_, index) => `Acme Cloud ${index}`).join(", ")
    expect(findings(`${D}/page.md`, `| ${names} | all |`)).toEqual([])
  })
})

test.each([
  "The value `what is none`, and the value 'none'.",
  "What is a lease?",
  "Many accounts, some of which have a budget.",
  "Shows what would change.",
  "Callers who leave, and the operator who knows it.",
  "Starts where the last page ended.",
  "Undefined if there is none.",
  "The order in which pages load.",
  "The client wants an image, and the model thinks.",
  "A text so long that it is cut.",
  "Looks up a name that looks like an address.",
  "The purpose is to save memory.",
])("the prose linter accepts '%s'", (comment) => {
  expect(commentPhrases(comment)).toEqual([])
})

describe("the phrase limit of a folder", () => {
  const readings = [
    readText("src/part/one.ts", "// What is one, what is two, and what is three.\n"),
    readText("src/other/one.ts", "// What is one.\n"),
  ]
  const row: Limit = { folder: "src/part", kind: "comment", max: 3 }

  test("allows phrases up to its number", () => {
    expect(checkSections(readings, [row])).toEqual([])
  })

  test("reports more phrases than its number, and suggests better wording", () => {
    const violations = checkSections(readings, [{ ...row, max: 2 }])
    expect(violations[0]).toBe(
      "src/part (comments): 3 phrases to reword, 2 allowed by scripts/prose/limits.json",
    )
    expect(violations[1]).toBe(
      "src/part/one.ts:1 comment: \"What is\": name the thing: 'stored data', not 'what is stored'",
    )
  })

  test("allows two phrases in a file if its folder has no limit", () => {
    const [violation] = checkSections(readings, [])
    expect(violation).toStartWith("src/part (comments): 3 phrases to reword in 10 words")
  })

  test("decreases to the current number, and disappears if there are no phrases", () => {
    const limits = [
      { ...row, max: 9 },
      { ...row, folder: "src/other" },
    ]
    expect(lowerLimits(readings, limits)).toEqual([row])
  })
})
