import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { createInstallation, type Installation, runCommand, runJson } from "../support/process.ts"

let installation: Installation
const run = (...words: string[]) => runCommand(installation, ...words)

interface EntryResponse {
  readonly entry: number
  readonly amount: string
  readonly balance: string
}

beforeAll(async () => {
  installation = createInstallation("server: { port: 0 }\n")
  await runJson(installation, "account", "create", "acme", "--credits", "10")
})
afterAll(() => installation[Symbol.dispose]())

describe("the credit command", () => {
  test("adjusts a balance up and down and refunds credits, with a reason", async () => {
    const words = ["credits", "adjust", "acme"]
    const down = await runJson<EntryResponse>(installation, ...words, "-2.5", "--note", "wrong")
    expect(down).toMatchObject({ entry: 2, amount: "-2.5", balance: "7.5" })
    const up = await run(...words, "1", "--note", "right again")
    expect(up.stdout).toContain("adjusted by:  1 credits, entry 3")
    const back = await runJson<EntryResponse>(
      installation,
      "credits",
      "refund",
      "acme",
      "0.5",
      "--note",
      "a broken answer",
    )
    expect(back).toMatchObject({ amount: "0.5", balance: "9" })
  })

  test("rejects an adjustment of an empty account, and an adjustment without a reason", async () => {
    const tooMuch = await run("credits", "adjust", "acme", "-100", "--note", "x")
    expect(tooMuch).toMatchObject({ exitCode: 5, stdout: "" })
    expect(tooMuch.stderr).toContain("The account has 9 credits")
    expect((await run("credits", "adjust", "acme", "1")).exitCode).toBe(2)
    expect((await run("credits", "refund", "acme", "-1", "--note", "x")).exitCode).toBe(2)
    expect((await run("credits", "adjust", "acme", "0", "--note", "x")).exitCode).toBe(2)
  })
})

describe("the report of billing gaps", () => {
  test("covers a period, for all accounts or one account", async () => {
    const words = ["billing-gaps", "--from", "2026-11-01", "--to", "2026-12-01"]
    const report = await runJson(installation, ...words, "--account", "acme")
    expect(report).toMatchObject({ receipts: 0, uncharged: { requests: 0, amount: "0", rows: [] } })
    expect((await run(...words)).stdout).toContain("uncharged provider cost: 0 credits")
    expect((await run("billing-gaps", "--from", "2026-11-01")).exitCode).toBe(2)
    const backwards = await run("billing-gaps", "--from", "2026-12-01", "--to", "2026-11-01")
    expect(backwards.stderr).toContain("'to' must be later than 'from'")
  })
})

describe("code commands", () => {
  test("create, list and revoke codes, and show each code once", async () => {
    const words = ["code", "create", "--credits", "5", "--uses", "3", "--expires", "30d"]
    const created = await run(...words, "--note", "for the fair")
    const code = /^code: (TG(?:-[0-9A-Z]{4}){4})$/m.exec(created.stdout)?.[1] ?? ""
    expect(code).not.toBe("")
    const { codes } = await runJson<{ codes: { id: string; hint: string }[] }>(
      installation,
      "code",
      "list",
    )
    expect(codes).toMatchObject([{ credits: "5", uses: 3, used: 0, status: "active" }])
    const listed = await run("code", "list")
    expect(listed.stdout).toContain(`TG-...-${code.slice(-4)}`)
    expect(listed.stdout).toContain("0 of 3")
    expect(listed.stdout).not.toContain(code)
    const { id = "" } = codes[0] ?? {}
    expect((await run("code", "revoke", id)).stdout).toBe(`Code ${id} is revoked.\n`)
    expect((await run("code", "list")).stdout).toContain("revoked")
    expect((await run("code", "revoke", "code_none")).exitCode).toBe(4)
    expect((await run("code", "create", "--credits", "0")).exitCode).toBe(2)
  })
})

describe("the statement command", () => {
  const today = () => new Date().toISOString().slice(0, 10)
  const days = () => ["--from", today(), "--to", today()]

  test("writes a statement as CSV, as JSON, and into a private file", async () => {
    const csv = await run("statement", "acme", ...days())
    expect(csv).toMatchObject({ exitCode: 0, stderr: "" })
    const lines = csv.stdout.split("\r\n")
    expect(lines[0]).toBe("number,time,kind,amount,balance,request,model,key,note")
    expect(lines.at(-2)).toContain(",closing balance,,9,")
    const json = await runJson<{ entries: object[] }>(installation, "statement", "acme", ...days())
    expect(json.entries).toHaveLength(4)
    const path = join(installation.data, "statement.csv")
    const written = await run("statement", "acme", ...days(), "--output", path)
    expect(written.stdout).toBe(`The statement is in ${path}.\n`)
    expect(readFileSync(path, "utf8")).toBe(csv.stdout)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test("requires valid dates, a known format and an account", async () => {
    const wrong = [
      ["acme", "--from", "2026-02-30", "--to", "2026-03-01"],
      ["acme", "--from", "yesterday", "--to", "2026-03-01"],
      ["acme", "--from", "2026-03-01"],
      ["acme", ...days(), "--format", "pdf"],
      ["acme", "--from", "2026-03-02", "--to", "2026-03-01"],
    ]
    const responses = await Promise.all(wrong.map((words) => run("statement", ...words)))
    for (const response of responses) expect(response).toMatchObject({ exitCode: 2, stdout: "" })
    expect((await run("statement", "nobody", ...days())).exitCode).toBe(4)
    const nowhere = join(installation.data, "none", "x.csv")
    const failed = await run("statement", "acme", ...days(), "--output", nowhere)
    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).toContain("ENOENT")
  })
})

describe("the ledger verify command", () => {
  test("checks every ledger and the audit log, and names the first invalid row", async () => {
    const right = await run("ledger", "verify")
    expect(right).toMatchObject({ exitCode: 0, stderr: "" })
    expect(right.stdout).toContain("every row is correct")
    const document = await runJson<{ accounts: number; entries: number; audit: object }>(
      installation,
      "ledger",
      "verify",
    )
    expect(document).toMatchObject({ is_right: true, accounts: 1, entries: 4, problems: [] })

    const database = new Database(databaseFileIn(installation.data))
    database.run("UPDATE entries SET amount = amount + 1 WHERE number = 2")
    const wrong = await run("ledger", "verify")
    expect(wrong.exitCode).toBe(1)
    expect(wrong.stdout).toContain("entry 2: it was changed after it was written")
    expect(wrong.stderr).toContain("entry 2")
    const json = await run("--json", "ledger", "verify")
    expect(json.exitCode).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      is_right: false,
      problems: [{ number: 2, fault: "hash" }],
    })
    database.run("UPDATE entries SET amount = amount - 1 WHERE number = 2")
    expect((await run("ledger", "verify")).exitCode).toBe(0)

    const triggers = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'trigger'")
      .all()
    for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`)
    database.run("UPDATE audit SET action = 'other' WHERE number = 2")
    database.close()
    const log = await run("ledger", "verify")
    expect(log.exitCode).toBe(1)
    expect(log.stdout).toContain("audit record 2: it was changed after it was written")
  })
})
