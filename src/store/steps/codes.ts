import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { CodeRecord, NewCode, Redemption } from "../codes.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { receive } from "./debts.ts"
import { addEntry, lockBalance } from "./ledger-lines.ts"
import { RecordColumns } from "./record-columns.ts"
import { FOR_UPDATE, sql, where } from "./sql.ts"
import { exists, run, statements, type Step, type StepMethods, transaction } from "./step.ts"

const CODE = new RecordColumns<CodeRecord>({
  id: "text",
  hint: "text",
  note: "text",
  amount: "bigint",
  uses: "number",
  used: "number",
  createdAt: "number",
  expiresAt: "number",
  revokedAt: "number",
  author: "text",
})

export const codeSteps: StepMethods<Store["codes"]> = {
  find: statements(find),
  list: statements(list),
  create: transaction((code, audit) => audited(audit, create(code))),
  createAll: transaction((codes, audit) => audited(audit, createAll(codes))),
  revoke: transaction((id, at, audit) => audited(audit, revoke(id, at))),
  redeem: transaction((redemption, audit) => audited(audit, receive(redeem(redemption)))),
}

function find(id: string): Step<CodeRecord | null> {
  return CODE.row(sql`SELECT ${CODE.selected} FROM codes WHERE id = ${id}`)
}

function list(after: string | null, limit: number): Step<CodeRecord[]> {
  return CODE.rows(
    sql`SELECT ${CODE.selected} FROM codes ${where(
      after !== null &&
        sql`(created_at, id) < (SELECT created_at, id FROM codes WHERE id = ${after})`,
    )} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
  )
}

function* create(code: NewCode): Step<CodeRecord> {
  const { hash, ...others } = code
  const created = { ...others, used: 0, revokedAt: null }
  yield* run(sql`INSERT INTO codes (hash, ${CODE.names}) VALUES (${hash}, ${CODE.values(created)})`)
  return created
}

function* createAll(codes: readonly NewCode[]): Step<CodeRecord[]> {
  const created: CodeRecord[] = []
  for (const code of codes) created.push(yield* create(code))
  return created
}

function* revoke(id: string, at: number): Step<CodeRecord> {
  const revoked = yield* CODE.row(
    sql`UPDATE codes SET revoked_at = coalesce(revoked_at, ${at}) WHERE id = ${id} RETURNING ${CODE.selected}`,
  )
  if (!revoked) throw rejections.noCode(id)
  return revoked
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
  const code = yield* CODE.row(
    sql`SELECT ${CODE.selected} FROM codes WHERE hash = ${hash} ${FOR_UPDATE}`,
  )
  if (!code) throw rejections.noSuchCode()
  if (code.revokedAt !== null) throw rejections.codeIsRevoked()
  if (code.expiresAt !== null && code.expiresAt <= at) throw rejections.codeHasExpired()
  return code
}
