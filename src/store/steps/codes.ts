import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { CodeRecord, NewCode, Redemption } from "../codes.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { receive } from "./debts.ts"
import { addEntry, lockBalance } from "./ledger-lines.ts"
import { FOR_UPDATE, numberOrNull, sql, where } from "./sql.ts"
import {
  exists,
  row,
  rows,
  run,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

interface CodeRow {
  readonly id: string
  readonly hint: string
  readonly note: string | null
  readonly amount: bigint
  readonly uses: bigint
  readonly used: bigint
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly author: string | null
}

const COLUMNS = sql`id, hint, note, amount, uses, used, created_at, expires_at, revoked_at, author`

export const codeSteps: StepMethods<Store["codes"]> = {
  find: statements(find),
  list: statements(list),
  create: transaction((code, audit) => audited(audit, create(code))),
  createAll: transaction((codes, audit) => audited(audit, createAll(codes))),
  revoke: transaction((id, at, audit) => audited(audit, revoke(id, at))),
  redeem: transaction((redemption, audit) => audited(audit, receive(redeem(redemption)))),
}

function* find(id: string): Step<CodeRecord | null> {
  const found = yield* row<CodeRow>(sql`SELECT ${COLUMNS} FROM codes WHERE id = ${id}`)
  return found && codeFromRow(found)
}

/** Lists codes after the given code, newest first. null starts at the newest code. */
function* list(after: string | null, limit: number): Step<CodeRecord[]> {
  const found = yield* rows<CodeRow>(
    sql`SELECT ${COLUMNS} FROM codes ${where(
      after !== null &&
        sql`(created_at, id) < (SELECT created_at, id FROM codes WHERE id = ${after})`,
    )} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
  )
  return found.map(codeFromRow)
}

function* create(code: NewCode): Step<CodeRecord> {
  const { id, hash, hint, note, amount, uses, createdAt, expiresAt, author } = code
  yield* run(
    sql`INSERT INTO codes (id, hash, hint, note, amount, uses, created_at, expires_at, author)
      VALUES (${id}, ${hash}, ${hint}, ${note}, ${amount}, ${uses}, ${createdAt}, ${expiresAt}, ${author})`,
  )
  return { id, hint, note, amount, uses, used: 0, createdAt, expiresAt, revokedAt: null, author }
}

function* createAll(codes: readonly NewCode[]): Step<CodeRecord[]> {
  const created: CodeRecord[] = []
  for (const code of codes) created.push(yield* create(code))
  return created
}

function* revoke(id: string, at: number): Step<CodeRecord> {
  const revoked = yield* row<CodeRow>(
    sql`UPDATE codes SET revoked_at = coalesce(revoked_at, ${at}) WHERE id = ${id} RETURNING ${COLUMNS}`,
  )
  if (!revoked) throw rejections.noCode(id)
  return codeFromRow(revoked)
}

/** Redeems a code. The code is locked first, so that redemptions are serialized. */
function* redeem({ hash, account, at, author }: Redemption): Step<EntryRecord> {
  const { id, amount, used, uses } = yield* lockUsable(hash, at)
  yield* lockBalance(account)
  const earlier = sql`SELECT entry FROM redemptions WHERE code = ${id} AND account = ${account}`
  if (yield* exists(earlier)) throw rejections.codeWasRedeemed()
  if (used >= uses) throw rejections.codeIsUsedUp()
  const added = yield* addEntry({ account, kind: "code", amount, at, note: id, author })
  yield* run(
    sql`INSERT INTO redemptions (code, account, entry) VALUES (${id}, ${account}, ${added.number})`,
  )
  yield* run(sql`UPDATE codes SET used = used + 1 WHERE id = ${id}`)
  return added
}

/**
 * Finds and locks a code that can be redeemed.
 * @throws StoreError `not_found`, `revoked`, `expired`.
 */
function* lockUsable(hash: string, at: number): Step<CodeRecord> {
  const found = yield* row<CodeRow>(
    sql`SELECT ${COLUMNS} FROM codes WHERE hash = ${hash} ${FOR_UPDATE}`,
  )
  if (!found) throw rejections.noSuchCode()
  const code = codeFromRow(found)
  if (code.revokedAt !== null) throw rejections.codeIsRevoked()
  if (code.expiresAt !== null && code.expiresAt <= at) throw rejections.codeHasExpired()
  return code
}

function codeFromRow(row: CodeRow): CodeRecord {
  return {
    id: row.id,
    hint: row.hint,
    note: row.note,
    amount: row.amount,
    uses: Number(row.uses),
    used: Number(row.used),
    createdAt: Number(row.created_at),
    expiresAt: numberOrNull(row.expires_at),
    revokedAt: numberOrNull(row.revoked_at),
    author: row.author,
  }
}
