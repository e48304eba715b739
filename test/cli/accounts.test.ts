import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { runCli } from "../../src/cli/program.ts"
import { createInstallation, type Installation } from "../support/process.ts"
import { FakeTerminal } from "./fake-terminal.ts"

let installation: Installation
beforeAll(async () => {
  installation = createInstallation("server: { port: 0 }\n")
  expect((await run("account", "create", "acme", "--credits", "9.5")).code).toBe(0)
  expect((await run("account", "create", "Zoë")).code).toBe(0)
  expect((await run("account", "pause", "Zoë")).code).toBe(0)
})
afterAll(() => installation[Symbol.dispose]())

async function run(...words: string[]) {
  const terminal = new FakeTerminal()
  const code = await runCli(["bun", "tollgate", "--data", installation.data, ...words], terminal)
  return { code, output: terminal.output, notices: terminal.notices }
}

describe("account list", () => {
  test("shows the state and the balance of each account by name", async () => {
    const { output } = await run("account", "list")
    expect(output).toMatch(/^ID +NAME +STATE +BALANCE +DEBT +CREATED$/m)
    expect(output).toMatch(/^acc_\w+ +acme +active +9\.5 +0 +\S+Z$/m)
    expect(output).toMatch(/^acc_\w+ +Zoë +paused +0 +0 +\S+Z$/m)
  })

  test("prints the API's response as JSON with --json", async () => {
    const { accounts } = JSON.parse((await run("account", "list", "--json")).output)
    expect(accounts).toMatchObject([
      { name: "acme", balance: "9.5", state: "active" },
      { name: "Zoë", balance: "0", state: "paused" },
    ])
  })
})

describe("account show", () => {
  test("shows an account by its name", async () => {
    const { output } = await run("account", "show", "acme")
    expect(output).toMatch(/^account: +acme$/m)
    expect(output).toMatch(/^balance: +9\.5 credits$/m)
    expect(output).toMatch(/^stores prompts: +no$/m)
  })

  test("lists the existing accounts if the account does not exist", async () => {
    const { code, notices } = await run("account", "show", "nobody")
    expect(code).toBe(4)
    expect(notices).toContain("there is no account 'nobody'")
    expect(notices).toContain("acme")
  })
})

describe("names and notes", () => {
  const COMMANDS = [
    ["account", "create"],
    ["key", "create", "--account", "acme", "--name"],
    ["credits", "grant", "acme", "1", "--note"],
    ["credits", "adjust", "acme", "1", "--note"],
    ["credits", "refund", "acme", "1", "--note"],
    ["code", "create", "--credits", "1", "--note"],
    ["user", "rename", "eve@example.com"],
  ] as const
  const REJECTED = [
    ["", "must not be empty"],
    ["  ", "must not be empty"],
    ["a\nb", "must not contain control characters"],
    ["a\u001b[2J", "must not contain control characters"],
    ["a".repeat(101), "must have at most 100 characters"],
  ] as const
  const cases = COMMANDS.map((words) => [words.slice(0, 2).join(" "), words] as const)

  test.each(cases)("follow the rules of the management API in %s", async (_, words) => {
    for (const [text, rule] of REJECTED) {
      const { code, notices } = await run(...words, text)
      expect([text, code, notices]).toEqual([text, 2, expect.stringContaining(rule)])
    }
  })

  test("lose surrounding spaces before they are stored", async () => {
    expect((await run("account", "create", " trimmed ")).output).toMatch(/^account: +trimmed$/m)
    expect((await run("account", "show", "trimmed")).output).toMatch(/^account: +trimmed$/m)
  })
})

describe("key create --models", () => {
  test.each(["a\nb", "a".repeat(201)])(
    "follows the rules of the management API: %j",
    async (text) => {
      const words = ["--account", "acme", "--models", `openai/*,${text}`]
      expect((await run("key", "create", ...words)).code).toBe(2)
    },
  )
})
