import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import timings from "../timings.json" with { type: "json" }
import facts from "../../package.json" with { type: "json" }
import { FURTHER_STEPS, ONLY_IN_ALL, QUICK, testFiles } from "../../scripts/test-sets.ts"

/** Commands that run a part of the files of `npm test`, or run them in another way. */
const VARIANTS = ["test:install", "test:quick", "test:alone", "test:repeat", "test:all"]

describe("the sets of tests", () => {
  test("include every test file of the project in the command npm run test:all", () => {
    const found = [...new Bun.Glob("**/*.test.{ts,tsx}").scanSync(".")]
      .filter((file) => !/(?:^|\/)(?:node_modules|dist)\//.test(file))
      .toSorted()
    expect(found).toEqual(testFiles())
  })

  test("include every other command that runs tests in the command npm run test:all", () => {
    const commands = Object.values(FURTHER_STEPS).flat()
    const others = Object.keys(facts.scripts).filter((name) => name.startsWith("test:"))
    expect(others.filter((name) => !VARIANTS.includes(name) && !commands.includes(name))).toEqual(
      [],
    )
    expect(commands).toEqual(expect.arrayContaining(["torture", "chaos"]))
  })

  test("name only files and folders that exist", () => {
    const quick = QUICK.map((name) => `test/${name}`)
    const paths = [...quick, ...Object.keys(ONLY_IN_ALL), ...Object.keys(timings.files)]
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })

  test("have a description in docs/contribute/tests.md", async () => {
    const page = await Bun.file("docs/contribute/tests.md").text()
    const [files = ""] = page.split("## Sampled sweeps")
    const rows = [...files.matchAll(/^\| `(test\/[^`]+)` \|/gm)].map(([, path = ""]) => path)
    expect(rows.toSorted()).toEqual(Object.keys(ONLY_IN_ALL).toSorted())
  })
})
