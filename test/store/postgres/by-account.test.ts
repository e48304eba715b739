import { expect, test } from "bun:test"
import { Glob } from "bun"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const SOURCE = join(import.meta.dir, "../../../src/store")

/** Tables that are not partitioned, with the reason. */
const UNDIVIDED: Readonly<Record<string, string>> = {
  nodes: "the processes, of which there are few",
  recalls: "hints that live for half a second",
  reversals: "refunds of card payments, found by the payment's id",
  anchor: "one row for the whole ledger",
  pruned_rows: "one row for the whole ledger",
  deployment_reports: "no money",
  deployment_revision: "no money",
  rate_buckets: "no money: the rates of keys",
  running_slots: "no money: the rates of keys",
  pruned_budgets: "written while rows are removed, which goes through the whole ledger anyway",
}

test("each PostgreSQL table of the ledger has an account column by which it can be partitioned", () => {
  const sources = sourcesOf(
    ...["ledger", "receipts", "nodes"].map((name) => `postgres/schema/initial/${name}.sql`),
  ).join("\n")
  const tables = [...sources.matchAll(/CREATE TABLE (\w+) \(([^;]*?)\)[^)]*;/g)]
  expect(tables.length).toBeGreaterThan(12)
  const without = tables.filter(([, , body]) => !/\n {2}account text/.test(body ?? ""))
  expect(without.map(([, name]) => name).toSorted()).toEqual(Object.keys(UNDIVIDED).toSorted())
})

/** Statements for which a request waits: those for charges, leases and idempotency keys. */
const STEPS_OF_REQUESTS = sourcesOf(
  "postgres/leases.ts",
  "postgres/idempotency.ts",
  "steps/budgets.ts",
  "steps/debts.ts",
  "steps/ledger-lines.ts",
  "steps/vendor-state.ts",
  ...new Glob("postgres/routines/*.sql").scanSync(SOURCE),
)

test("SQL statements of requests lock single rows, never a table or the whole database", () => {
  for (const source of STEPS_OF_REQUESTS) {
    expect(source).not.toMatch(/LOCK TABLE|pg_advisory/)
  }
})

test("no SQL statement refers to a disk location or requires serializable transactions", () => {
  const files = [...new Glob("{postgres,steps}/**/*.{ts,sql}").scanSync(SOURCE)]
  expect(files.length).toBeGreaterThan(40)
  const found = files.filter((file) =>
    /\bctid\b|SERIALIZABLE|EXCLUDE USING|CREATE RULE|\bMERGE INTO\b|DEFERRABLE|TABLESPACE/.test(
      sourcesOf(file)[0] ?? "",
    ),
  )
  expect(found).toEqual([])
})

function sourcesOf(...files: readonly string[]): readonly string[] {
  return files.map((file) => readFileSync(join(SOURCE, file), "utf8"))
}
