import { afterEach, describe, expect, setSystemTime, test } from "bun:test"
import type { StatementQuery } from "tollgate-contract/accounts.ts"
import { AUDIT } from "../store/audit-record.ts"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { Statements } from "../../src/management/statements.ts"
import { TestDatabase } from "../store/test-database.ts"
import { ENGINES } from "../store/engines.ts"
import { filesIn } from "../support/zip-reader.ts"
import { kindOf } from "./actors.ts"
import { TurnCounter } from "../support/turn-counter.ts"

const DAY = 24 * 60 * 60 * 1_000
const CREDIT = 1_000_000_000n

afterEach(() => void setSystemTime())

/** Adds grants on three days, and a request that begins before midnight and ends after it. */
async function fillDatabase(database: TestDatabase): Promise<void> {
  const payer = await database.account("a", 0n)
  const grant = (day: string, credits: bigint, note: string) =>
    database.store.entries.add(
      {
        account: "a",
        kind: "grant",
        amount: credits * CREDIT,
        at: Date.parse(day),
        note,
        author: "me",
      },
      AUDIT,
    )
  await grant("2026-11-01T10:00:00Z", 10n, "first")
  setSystemTime(new Date("2026-11-02T23:59:00Z"))
  const ledger = await database.ledger("node")
  await ledger.lease(payer, CREDIT)
  const hold = ledger.tryHold({ ...database.order(payer, CREDIT), request: "req_night" })!
  await grant("2026-11-03T00:00:30Z", 5n, '=cmd|"/c calc", "x"')
  setSystemTime(new Date("2026-11-03T00:01:00Z"))
  await ledger.settle(hold, CREDIT / 4n, () => '{"model":"sim/echo"}')
  await grant("2026-11-05T10:00:00Z", 1n, "last")
}

function textOf(
  database: TestDatabase,
  from: string,
  to: string,
  format: StatementQuery["format"] = "csv",
): Promise<string> {
  return textOfQuery(database, { from, to, format })
}

async function textOfQuery(database: TestDatabase, query: StatementQuery): Promise<string> {
  const file = await new Statements(database.store).open(COMMAND_LINE, "a", query)
  let text = ""
  for await (const chunk of file.chunks) text += chunk
  return text
}

describe("an account statement", () => {
  test("contains the entries of its days, and a charge on the day when its request began", async () => {
    await using database = await TestDatabase.open()
    await fillDatabase(database)
    expect(await textOf(database, "2026-11-01", "2026-11-02")).toBe(
      [
        "number,time,kind,amount,balance,request,model,key,note",
        ",2026-11-01T00:00:00.000Z,opening balance,,0,,,,",
        "1,2026-11-01T10:00:00.000Z,grant,10,10,,,,first",
        "3,2026-11-02T23:59:00.000Z,charge,-0.25,9.75,req_night,sim/echo,key,",
        ",2026-11-03T00:00:00.000Z,closing balance,,9.75,,,,",
        "",
      ].join("\r\n"),
    )
  })

  test("starts with the closing balance of the day before, and escapes formulas", async () => {
    await using database = await TestDatabase.open()
    await fillDatabase(database)
    expect(await textOf(database, "2026-11-03", "2026-11-04")).toBe(
      [
        "number,time,kind,amount,balance,request,model,key,note",
        ",2026-11-03T00:00:00.000Z,opening balance,,9.75,,,,",
        `2,2026-11-03T00:00:30.000Z,grant,5,14.75,,,,"'=cmd|""/c calc"", ""x"""`,
        ",2026-11-05T00:00:00.000Z,closing balance,,14.75,,,,",
        "",
      ].join("\r\n"),
    )
  })

  test.each(["=1+1", "+1", "-1", "@x", "＝1+1", "＋1", "－1", "＠x"])(
    "escapes a note that starts like a formula: %s",
    async (note) => {
      await using database = await TestDatabase.open()
      await database.account("a", 0n)
      const entry = { account: "a", kind: "grant", amount: CREDIT, note, author: "me" } as const
      await database.store.entries.add({ ...entry, at: Date.parse("2026-11-01T10:00:00Z") }, AUDIT)
      expect(await textOf(database, "2026-11-01", "2026-11-01")).toContain(`,'${note}\r\n`)
    },
  )

  test("has a JSON form with unchanged notes", async () => {
    await using database = await TestDatabase.open()
    await fillDatabase(database)
    const document = JSON.parse(await textOf(database, "2026-11-01", "2026-11-30", "json"))
    expect(document).toMatchObject({
      account: { id: "a", name: "name of a" },
      from: "2026-11-01T00:00:00.000Z",
      until: "2026-12-01T00:00:00.000Z",
      opening_balance: "0",
      closing_balance: "15.75",
    })
    expect(document.entries).toHaveLength(4)
    expect(document.entries[1]).toEqual({
      number: 2,
      time: "2026-11-03T00:00:30.000Z",
      kind: "grant",
      amount: "5",
      balance: "15",
      request: null,
      model: null,
      key: null,
      note: '=cmd|"/c calc", "x"',
    })
    const empty = JSON.parse(await textOf(database, "2026-10-01", "2026-10-31", "json"))
    expect(empty).toMatchObject({ opening_balance: "0", entries: [], closing_balance: "0" })
  })

  test("has totals by entry kind, model and key, which add up to the closing balance", async () => {
    await using database = await TestDatabase.open()
    await fillDatabase(database)
    const days = { from: "2026-11-02", to: "2026-11-30" }
    const csv = await textOfQuery(database, { ...days, format: "csv", content: "totals" })
    expect(csv).toBe(
      [
        "part,name,id,entries,amount",
        "balance,opening balance,,,10",
        "kind,charge,,1,-0.25",
        "kind,grant,,2,6",
        "balance,closing balance,,,15.75",
        "model,sim/echo,,1,-0.25",
        "key,,key,1,-0.25",
        "",
      ].join("\r\n"),
    )
    const json = await textOfQuery(database, { ...days, format: "json", content: "totals" })
    expect(JSON.parse(json)).toMatchObject({
      opening_balance: "10",
      closing_balance: "15.75",
      models: [{ name: "sim/echo", entries: 1, amount: "-0.25" }],
      keys: [{ id: "key", entries: 1, amount: "-0.25" }],
    })
  })

  test("has a page for printing that contains no scripts and escapes names", async () => {
    await using database = await TestDatabase.open()
    const name = '<img src=x onerror="x">'
    await database.store.accounts.create({ id: "a", name, createdAt: 1 }, AUDIT)
    const days = { from: "2026-11-01", to: "2026-11-30", format: "html" } as const
    const file = await new Statements(database.store).open(COMMAND_LINE, "a", days)
    expect(file.contentType).toBe("text/html; charset=utf-8")
    expect(file.pagePolicy).toStartWith("default-src 'none'")
    const page = await textOfQuery(database, days)
    expect(page).toContain("&lt;img src=x")
    expect(page).not.toContain("<img")
    expect(page).toContain("Closing balance, 2026-11-30")
  })

  test("has the same total for a period as the statements of its days together", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const begin = Date.parse("2026-01-01T00:00:00Z")
    for (let number = 0; number < 1_300; number++) {
      // Some entries are later in the ledger than their time, as with charges.
      const at = begin + number * (DAY / 100) - (number % 7 === 0 ? DAY / 3 : 0)
      const entry = { account: "a", kind: "grant" as const, amount: BigInt(number + 1) }
      await database.store.entries.add({ ...entry, at, note: null, author: null }, AUDIT)
    }
    let closing = "0"
    let count = 0
    for (let day = -1; day < 15; day++) {
      const date = new Date(begin + day * DAY).toISOString().slice(0, 10)
      const document = JSON.parse(await textOf(database, date, date, "json"))
      expect([date, document.opening_balance]).toEqual([date, closing])
      closing = document.closing_balance
      count += document.entries.length
      for (const { time } of document.entries) expect(time).toStartWith(date)
    }
    expect([count, closing]).toEqual([1_300, "0.00084565"])
  })

  test("has a file name that contains the account and the days, for any account name", async () => {
    await using database = await TestDatabase.open()
    await database.store.accounts.create({ id: "a", name: '../"x"\r\nÄ b', createdAt: 1 }, AUDIT)
    const days = { from: "2026-11-01", to: "2026-11-02" } as const
    const statements = new Statements(database.store)
    const csv = await statements.open(COMMAND_LINE, "a", { ...days, format: "csv" })
    expect(csv).toMatchObject({
      name: "statement-x-b-2026-11-01-2026-11-02.csv",
      contentType: "text/csv; charset=utf-8",
    })
  })

  test("shows written-off amounts to operators, but not as part of the total", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("a", CREDIT)
    setSystemTime(new Date("2026-11-02T10:00:00Z"))
    const ledger = await database.ledger("node")
    await ledger.lease(payer, CREDIT)
    const hold = ledger.tryHold({ ...database.order(payer, 1n), request: "req_1" })!
    await ledger.settle(hold, 3n * CREDIT, () => "{}")
    const csv = await textOf(database, "2026-11-02", "2026-11-02")
    expect(csv.split("\r\n").slice(-3)).toEqual([
      ",2026-11-03T00:00:00.000Z,closing balance,,0,,,,",
      ",2026-11-02T10:00:00.000Z,write-off,,,req_1,,key,2 credits were not charged: account_empty",
      "",
    ])
    const json = JSON.parse(await textOf(database, "2026-11-02", "2026-11-02", "json"))
    expect(json).toMatchObject({
      closing_balance: "0",
      write_offs: [{ amount: "2", request: "req_1", reason: "account_empty" }],
    })
    const owner: Actor = {
      ...COMMAND_LINE,
      kind: "user",
      isOperator: false,
      roles: new Map([["a", "owner"]]),
    }
    const days = { from: "2026-11-02", to: "2026-11-02", format: "json" } as const
    const file = await new Statements(database.store).open(owner, "a", days)
    let text = ""
    for await (const chunk of file.chunks) text += chunk
    expect(text).not.toContain("write_offs")
  })

  test("cannot be read by other users, for unknown accounts, or for reversed dates", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const stranger: Actor = { ...COMMAND_LINE, kind: "user", isOperator: false }
    const viewer: Actor = { ...stranger, roles: new Map([["a", "viewer"]]) }
    const statements = new Statements(database.store)
    const days = { from: "2026-11-02", to: "2026-11-02", format: "csv" } as const
    await statements.open(viewer, "a", days)
    await expect(statements.open(stranger, "a", days)).rejects.toMatchObject({ kind: "not_found" })
    const none = statements.open(COMMAND_LINE, "none", days)
    await expect(none).rejects.toMatchObject({ kind: "not_found" })
    const backwards = statements.open(viewer, "a", { ...days, to: "2026-11-01" })
    await expect(backwards).rejects.toMatchObject({
      kind: "invalid_value",
      details: { parameter: "to" },
    })
  })
})

describe("a long statement", () => {
  test.each(["csv", "html", "json"] as const)(
    "takes many event-loop turns as %s",
    async (format) => {
      await using database = TestDatabase.direct()
      await database.account("a", 0n)
      const at = Date.parse("2026-11-01T10:00:00Z")
      const grant = { account: "a", kind: "grant", amount: 1n, note: "n", author: "me" } as const
      for (let count = 0; count < 1_000; count++)
        await database.store.entries.add({ ...grant, at }, AUDIT)
      using turns = new TurnCounter()
      const text = await textOf(database, "2026-11-01", "2026-11-02", format)
      expect(text.length).toBeGreaterThan(100)
      expect(turns.count).toBeGreaterThanOrEqual(10)
    },
  )

  test("reads a thousand entries with one query", async () => {
    await using database = TestDatabase.direct()
    await database.account("a", 0n)
    const at = Date.parse("2026-11-01T10:00:00Z")
    const grant = { account: "a", kind: "grant", amount: 1n, note: "n", author: "me" } as const
    for (let count = 0; count < 1_000; count++)
      await database.store.entries.add({ ...grant, at }, AUDIT)
    const { entries } = database.store
    const limits: number[] = []
    const statements = new Statements(database.store, {
      findRange: (...range) => entries.findRange(...range),
      listStatementLines(account, after, limit) {
        limits.push(limit)
        return entries.listStatementLines(account, after, limit)
      },
    })
    const days = { from: "2026-11-01", to: "2026-11-30", format: "csv" } as const
    const file = await statements.open(COMMAND_LINE, "a", days)
    const text = (await Array.fromAsync(file.chunks)).join("")
    expect(text).toContain("1000,2026-11-01T10:00:00.000Z,grant,0.000000001,0.000001,")
    // The opening balance and the entries are read separately.
    expect(limits).toEqual([1_000, 1_000])
  })
})

describe("the statements of all accounts", () => {
  const NOVEMBER = { from: "2026-11-01", to: "2026-11-30", format: "csv" } as const

  test.each(ENGINES.map((engine) => [engine.name, engine] as const))(
    "form an archive with a file for each account, on %s",
    async (_, engine) => {
      await using database = await TestDatabase.on(engine)
      for (const name of ["a", "A", "b"]) {
        await database.account(name, 5n * CREDIT)
      }
      const statements = new Statements(database.store)
      const file = await statements.openAll(COMMAND_LINE, NOVEMBER)
      expect([file.name, file.contentType]).toEqual([
        "statements-2026-11-01-2026-11-30.zip",
        "application/zip",
      ])
      const chunks = (await Array.fromAsync(file.chunks)).map((chunk) => Buffer.from(chunk))
      const files = filesIn(Buffer.concat(chunks))
      // Names that differ only in case would overwrite each other on some systems.
      expect([...files.keys()].map((name) => name.toLowerCase()).toSorted()).toEqual([
        "a-statement-name-of-a-2026-11-01-2026-11-30.csv",
        "statement-name-of-a-2026-11-01-2026-11-30.csv",
        "statement-name-of-b-2026-11-01-2026-11-30.csv",
      ])
      const own = await statements.open(COMMAND_LINE, "b", NOVEMBER)
      expect(files.get("statement-name-of-b-2026-11-01-2026-11-30.csv")).toBe(
        (await Array.fromAsync(own.chunks)).join(""),
      )
    },
  )

  test("can be downloaded as an archive only by operators and for a valid period", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", CREDIT)
    const statements = new Statements(database.store)
    const owner = { ...COMMAND_LINE, isOperator: false, roles: new Map([["a", "owner" as const]]) }
    expect(await kindOf(statements.openAll(owner, NOVEMBER))).toBe("forbidden")
    const reversed = { ...NOVEMBER, to: "2026-10-01" }
    expect(await kindOf(statements.openAll(COMMAND_LINE, reversed))).toBe("invalid_value")
  })

  test("use many event-loop turns", async () => {
    await using database = await TestDatabase.open()
    for (let index = 0; index < 50; index++) await database.account(`account-${index}`, CREDIT)
    using turns = new TurnCounter()
    const file = await new Statements(database.store).openAll(COMMAND_LINE, NOVEMBER)
    await Array.fromAsync(file.chunks)
    expect(turns.count).toBeGreaterThanOrEqual(50)
  })
})
