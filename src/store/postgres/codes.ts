import type { EntryRecord } from "../../accounting/chained-records.ts"
import { CODE_COLUMNS, codeFromRow, type CodeRow, requireUsable } from "../code-rows.ts"
import type { CodeRecord, NewCode, Redemption } from "../codes.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import type { Statements } from "./client.ts"
import { received } from "./debts.ts"
import { addEntry, lockBalance } from "./ledger-lines.ts"
import type { StoreParts } from "./store-parts.ts"

export function codeMethods({ client, audited }: StoreParts): Store["codes"] {
  return {
    find: (id) => find(client, id),
    list: (after, limit) => list(client, after, limit),
    create: (code, audit) => audited(audit, (transaction) => create(transaction, code)),
    createAll: (codes, audit) => audited(audit, (transaction) => createAll(transaction, codes)),
    revoke: (id, at, audit) => audited(audit, (transaction) => revoke(transaction, id, at)),
    redeem: (redemption, audit) =>
      audited(audit, async (transaction) =>
        received(transaction, await redeem(transaction, redemption)),
      ),
  }
}

async function find(statements: Statements, id: string): Promise<CodeRecord | null> {
  const row = await statements.row<CodeRow>(`SELECT ${CODE_COLUMNS} FROM codes WHERE id = $1`, [id])
  return row ? codeFromRow(row) : null
}

async function list(
  statements: Statements,
  after: string | null,
  limit: number,
): Promise<CodeRecord[]> {
  const rows = await statements.rows<CodeRow>(
    `SELECT ${CODE_COLUMNS} FROM codes
     WHERE $1::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM codes WHERE id = $1)
     ORDER BY created_at DESC, id DESC LIMIT $2`,
    [after, BigInt(limit)],
  )
  return rows.map(codeFromRow)
}

async function create(transaction: Statements, code: NewCode): Promise<CodeRecord> {
  const { id, hash, hint, note, amount, uses, createdAt, expiresAt, author } = code
  await transaction.run(
    `INSERT INTO codes (id, hash, hint, note, amount, uses, created_at, expires_at, author)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      hash,
      hint,
      note,
      amount,
      BigInt(uses),
      BigInt(createdAt),
      expiresAt === null ? null : BigInt(expiresAt),
      author,
    ],
  )
  return { id, hint, note, amount, uses, used: 0, createdAt, expiresAt, revokedAt: null, author }
}

async function createAll(
  transaction: Statements,
  codes: readonly NewCode[],
): Promise<CodeRecord[]> {
  const created: CodeRecord[] = []
  for (const code of codes) created.push(await create(transaction, code))
  return created
}

async function revoke(transaction: Statements, id: string, at: number): Promise<CodeRecord> {
  const row = await transaction.row<CodeRow>(
    `UPDATE codes SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING ${CODE_COLUMNS}`,
    [id, BigInt(at)],
  )
  if (!row) throw refusals.noCode(id)
  return codeFromRow(row)
}

/** The code is locked first, so that one redemption of it is after another. */
async function redeem(
  transaction: Statements,
  { hash, account, at, author }: Redemption,
): Promise<EntryRecord> {
  const row = await transaction.row<CodeRow>(
    `SELECT ${CODE_COLUMNS} FROM codes WHERE hash = $1 FOR UPDATE`,
    [hash],
  )
  const { id, amount, used, uses } = requireUsable(row, at)
  await lockBalance(transaction, account)
  const earlier = await transaction.row(
    "SELECT entry FROM redemptions WHERE code = $1 AND account = $2",
    [id, account],
  )
  if (earlier) throw refusals.codeWasRedeemed()
  if (used >= uses) throw refusals.codeIsUsedUp()
  const entry = { account, kind: "code", amount, at, note: id, author } as const
  const added = await addEntry(transaction, entry)
  await transaction.run("INSERT INTO redemptions (code, account, entry) VALUES ($1, $2, $3)", [
    id,
    account,
    BigInt(added.number),
  ])
  await transaction.run("UPDATE codes SET used = used + 1 WHERE id = $1", [id])
  return added
}
