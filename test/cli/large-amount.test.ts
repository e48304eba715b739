import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { runCli } from "../../src/cli/program.ts"
import { createInstallation, type Installation, runCommand, runJson } from "../support/process.ts"
import { FakeTerminal } from "./fake-terminal.ts"

let installation: Installation
const run = (...words: string[]) => runCommand(installation, ...words)

beforeAll(async () => {
  installation = createInstallation("server: { port: 0 }\n")
  await runJson(installation, "account", "create", "acme", "--credits", "9")
})
afterAll(() => installation[Symbol.dispose]())

describe("a grant of a large amount", () => {
  const granting = (terminal: FakeTerminal, ...words: string[]) =>
    runCli(
      ["bun", "tollgate", "--data", installation.data, "credits", "grant", "acme", ...words],
      terminal,
    )

  test("requires a confirmation, and the question shows the account and its balance", async () => {
    const unwilling = new FakeTerminal({ response: false })
    expect(await granting(unwilling, "5000")).toBe(1)
    expect(unwilling.notices).toContain("nothing was done")
    const [question] = unwilling.questions
    expect(question).toContain(
      "grant 5000 credits (account acme). That is an unusually large amount.",
    )
    expect(question).toContain("The account has 9 credits now.")
    const willing = new FakeTerminal({ response: true })
    expect(await granting(willing, "101")).toBe(0)
    expect(willing.questions).toHaveLength(1)
    const usual = new FakeTerminal({ response: false })
    expect(await granting(usual, "1")).toBe(0)
    expect(usual.questions).toEqual([])
  })

  test("requires --yes if there is no terminal", async () => {
    const alone = new FakeTerminal()
    expect(await granting(alone, "5000")).toBe(2)
    expect(alone.notices).toContain("Add --yes to confirm it.")
    expect(await granting(new FakeTerminal(), "5000", "--yes")).toBe(0)
    const account = ["account", "create", "rich", "--credits", "1001"]
    expect((await run(...account)).exitCode).toBe(2)
    expect((await run(...account, "--yes")).exitCode).toBe(0)
    const codes = ["code", "create", "--credits", "500", "--uses", "3"]
    expect((await run(...codes)).stderr).toContain("gives 1500 credits in all")
  })
})
