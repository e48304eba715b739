import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Reconciliation } from "tollgate-contract/reconciliations.ts"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { addCalls } from "../management/reconciliation/support.ts"
import { createInstallation, type Installation, runCommandIn } from "../support/process.ts"

let simulator: Simulator
let installation: Installation
const KEYS = { OPENAI_ADMIN_KEY: "sk-admin-secret", OTHER_KEY: "sk-user-secret" }
const run = (...words: string[]) => runCommandIn(KEYS, installation, "reconcile", ...words)

beforeAll(async () => {
  simulator = startSimulator()
  installation = createInstallation(
    [
      "server: { port: 0 }",
      "providers:",
      `  openai: { vendor: openai, api_key: sk-x, base_url: "${simulator.url}/v1" }`,
      "  azure: { vendor: openai-compatible, api_key: sk-x, base_url: http://127.0.0.1:9/v1 }",
    ].join("\n"),
  )
  const account = await runCommandIn({}, installation, "account", "create", "acme")
  expect(account.exitCode).toBe(0)
  await using store = await databaseOf(installation).openStore()
  const id = (await store.accounts.find("acme"))?.id ?? ""
  const call = { day: "2026-11-01", model: "gpt-5.4", input: 1_000_000 }
  await addCalls(store, { ...call, account: id })
})
afterAll(async () => {
  installation[Symbol.dispose]()
  await simulator.stop()
})

const ONE_DAY = ["--from", "2026-11-01", "--to", "2026-11-02"]
const OPENAI = ["--provider", "openai", ...ONE_DAY]

test("reconcile compares the cost API with the ledger, and posts the difference", async () => {
  const model = "gpt-5.4-2026-03-05"
  const cost = { day: "2026-11-01", model, class: "input", quantity: 1_000_000 } as const
  simulator.costs.push({ ...cost, amount: "1.25", requests: 1 })
  const shown = await run(...OPENAI)
  expect(shown).toMatchObject({ exitCode: 0, stderr: "" })
  expect(shown.stdout).toContain("difference: 0.25 credits")
  expect(shown.stdout).toMatch(/2026-11-01 +gpt-5\.4 +input +1\.25 +1 +0\.25 +stale_price/)
  const posted = await run(...OPENAI, "--post", "--reason", "November", "--json")
  expect(JSON.parse(posted.stdout) as Reconciliation).toMatchObject({
    source: "OpenAI's cost API",
    posted: { amount: "0.25", reason: "November" },
  })
  expect((await run(...OPENAI)).stdout).toContain("corrected:  0.25 credits")
})

test("reconcile reads an exported bill of any provider", async () => {
  const file = join(installation.data, "bill.csv")
  writeFileSync(file, "Day,Model,Cost\n2026-11-01,gpt-5.4,0.5\n")
  const words = ["--provider", "azure", ...ONE_DAY, "--file", file]
  const { stdout } = await run(...words, "--columns", "date=Day,model=Model,cost=Cost")
  expect(stdout).toContain("other_clients: 0.5 credits in 1 lines")
  const unknown = await run(...words)
  expect(unknown.exitCode).toBe(1)
  expect(unknown.stderr).toContain("line 1: its columns are unknown")
  const other = ["--provider", "azure", "--from", "2026-10-01", "--to", "2026-10-02"]
  const empty = await run(...other, "--file", file, "--columns", "date=Day,model=Model,cost=Cost")
  expect(empty.stderr).toContain("no rows for these days; 1 are for other days or services")
})

test.each([
  [[...OPENAI, "--post"], 2, "--post and --reason belong together"],
  [["--provider", "nobody", ...ONE_DAY], 4, "Configured providers: openai, azure"],
  [
    ["--provider", "azure", ...ONE_DAY],
    2,
    "no cost API is known for the vendor 'openai-compatible'",
  ],
  [[...OPENAI, "--key-variable", "NONE"], 3, "NONE is not set"],
  [[...OPENAI, "--key-variable", "OTHER_KEY"], 1, "rejects the key in OTHER_KEY (403)"],
  [["--provider", "openai", "--from", "2026-11-02", "--to", "2026-11-01"], 2, "later than 'from'"],
  [["--provider", "openai", "--from", "2026-11-01", "--to", "2126-11-02"], 2, "Only past days"],
  [[...OPENAI, "--keys", "key_1"], 2, "'key_1' must be a name in the bill"],
])("reconcile with %j fails with %p", async (words, exitCode, message) => {
  const failed = await run(...words)
  expect(failed).toMatchObject({ exitCode, stdout: "" })
  expect(failed.stderr).toContain(message)
  expect(failed.stderr).not.toContain("secret")
})
