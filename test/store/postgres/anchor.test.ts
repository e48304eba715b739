import { expect, test } from "bun:test"
import { SQL } from "bun"
import { advanceAnchor } from "../../../src/store/postgres/anchor.ts"
import { verifyAudit } from "../../../src/ledger/verify/audit.ts"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"

const databases = new TestDatabases()

/** A process that writes a row of the ledger and delays its commit. */
class Writer {
  readonly #sql: SQL

  constructor(url: string) {
    this.#sql = new SQL(url, { max: 1, bigint: true })
  }

  /**
   * Writes a row.
   * @returns the position of the row.
   */
  async write(request: string): Promise<bigint> {
    await this.#sql.unsafe("BEGIN; SELECT pg_current_xact_id()")
    const rows: readonly { position: bigint }[] = await this.#sql`
      INSERT INTO expired_receipts (request, account, key, at, body, hash, position)
      VALUES (${request}, 'a', 'k', 0, '{}', ${"0".repeat(64)}, nextval('ledger_position')) RETURNING position`
    return rows[0]?.position ?? 0n
  }

  async commit(): Promise<void> {
    await this.#sql.unsafe("COMMIT")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 0 })
  }
}

async function open(folder: string) {
  const url = await databases.urlOf(folder)
  const client = new PostgresClient({ url, max: 2, connectTime: 5_000 })
  const positionOf = async () => (await advanceAnchor(client, 1)).anchor.lastRow
  return { url, client, positionOf }
}

test("a ledger anchor includes a row only if all rows with smaller positions can be read", async () => {
  const { url, client, positionOf } = await open("order")
  await using _ = client
  await using slow = new Writer(url)
  await using quick = new Writer(url)
  const first = await slow.write("slow")
  const second = await quick.write("quick")
  expect(second).toBeGreaterThan(first)
  expect(await positionOf()).toBeLessThan(Number(first))
  await quick.commit()
  expect(await positionOf()).toBeLessThan(Number(first))
  expect(await positionOf()).toBeLessThan(Number(first))
  await slow.commit()
  await positionOf()
  expect(await positionOf()).toBe(Number(second))
})

test("a ledger anchor advances even if a write transaction is always open", async () => {
  const { url, client, positionOf } = await open("overlap")
  await using _ = client
  await using left = new Writer(url)
  await using right = new Writer(url)
  const writers = [left, right] as const
  await left.write("0")
  const positions: number[] = []
  for (let turn = 1; turn < 30; turn++) {
    // Each write begins before the previous one ends.
    const [current, last] = turn % 2 === 1 ? [right, left] : [left, right]
    const open = await current.write(String(turn))
    positions.push(await positionOf())
    await last.commit()
    const position = await positionOf()
    expect(position).toBeLessThan(Number(open))
    positions.push(position)
  }
  // The anchor is behind by the rows that were written while it waited.
  expect(positions.at(-1)).toBeGreaterThan(25)
  for (const writer of writers) await writer.commit()
  await positionOf()
  expect(await positionOf()).toBe(30)
  const rows = (await advanceAnchor(client, 1)).anchor.rowCount
  expect(rows).toBe(30)
})

test("a ledger anchor detects a truncated audit log", async () => {
  const { url, client } = await open("cut")
  await using _ = client
  const database = databaseAt({ engine: "postgresql", url, connections: 2 })
  await using store = await database.openStore()
  for (const action of ["one", "two"]) await store.audit.append({ ...AUDIT, action })
  await advanceAnchor(client, 1)
  await client.run("ALTER TABLE audit DISABLE TRIGGER ALL", [])
  await client.run("DELETE FROM audit WHERE number = 2", [])
  await client.run(
    "UPDATE chain_ends SET number = 1, hash = (SELECT hash FROM audit) WHERE name = 'audit'",
    [],
  )
  const { anchor } = await advanceAnchor(client, 2)
  expect(await verifyAudit(store, [anchor.audit])).toMatchObject({ problem: { number: 2 } })
  await store.audit.append({ ...AUDIT, action: "three" })
  const { anchor: later } = await advanceAnchor(client, 3)
  expect(await verifyAudit(store, [later.audit])).toMatchObject({ problem: { number: 2 } })
})
