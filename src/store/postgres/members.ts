import { MEMBER_COLUMNS, memberFromRow, type MemberRow } from "../member-rows.ts"
import type { MemberFilter, MemberRecord, MemberRole } from "../members.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import type { TimePosition } from "../time-position.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { isViolationOf } from "./failure.ts"
import type { StoreParts } from "./store-parts.ts"

export function memberMethods({ client, audited }: StoreParts): Store["members"] {
  return {
    find: (id) => find(client, id),
    list: (filter, after, limit) => list(client, filter, { after, limit }),
    add: (member, audit) => audited(audit, (transaction) => addMember(transaction, member)),
    changeRole: (id, role, audit) =>
      audited(audit, (transaction) => changeRole(transaction, id, role)),
    remove: (id, audit) => audited(audit, (transaction) => remove(transaction, id)),
  }
}

/** @throws StoreError `not_found` without the account, `exists` when the user is in it already. */
export async function addMember(
  transaction: Statements,
  member: MemberRecord,
): Promise<MemberRecord> {
  const { id, account, user, role, joinedAt } = member
  try {
    await transaction.run(`INSERT INTO members (${MEMBER_COLUMNS}) VALUES ($1, $2, $3, $4, $5)`, [
      id,
      account,
      user,
      role,
      BigInt(joinedAt),
    ])
  } catch (error) {
    if (isViolationOf(error, "members_account_fkey")) throw refusals.noAccount(account)
    throw isViolationOf(error, "members_account_user_id_key") ? refusals.isMember() : error
  }
  return member
}

async function find(statements: Statements, id: string): Promise<MemberRecord | null> {
  const row = await statements.row<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM members WHERE id = $1`,
    [id],
  )
  return row ? memberFromRow(row) : null
}

async function list(
  statements: Statements,
  { accounts, users }: MemberFilter,
  { after, limit }: { readonly after: TimePosition | null; readonly limit: number },
): Promise<MemberRecord[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  conditions.among("user_id", users)
  conditions.after("(joined_at, id) >", after)
  const rows = await statements.rows<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM members ${conditions.where}
     ORDER BY joined_at, id LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  return rows.map(memberFromRow)
}

async function changeRole(
  transaction: Statements,
  id: string,
  role: MemberRole,
): Promise<MemberRecord> {
  const member = await lock(transaction, id)
  if (role !== "owner") await keepOwner(transaction, member)
  await transaction.run("UPDATE members SET role = $2 WHERE id = $1", [id, role])
  return { ...member, role }
}

async function remove(transaction: Statements, id: string): Promise<MemberRecord> {
  const member = await lock(transaction, id)
  await keepOwner(transaction, member)
  await transaction.run("DELETE FROM members WHERE id = $1", [id])
  return member
}

/** The members of its account, whose row is locked, do not change until the transaction is over. */
async function lock(transaction: Statements, id: string): Promise<MemberRecord> {
  await transaction.run(
    `SELECT id FROM accounts WHERE id = (SELECT account FROM members WHERE id = $1)
     FOR NO KEY UPDATE`,
    [id],
  )
  const member = await find(transaction, id)
  if (!member) throw refusals.noMember(id)
  return member
}

/** An account that has an owner keeps one: someone has to be able to invite and to remove. */
async function keepOwner(transaction: Statements, { id, account, role }: MemberRecord) {
  if (role !== "owner") return
  const other = await transaction.row(
    "SELECT id FROM members WHERE account = $1 AND role = 'owner' AND id <> $2 LIMIT 1",
    [account, id],
  )
  if (!other) throw refusals.lastOwner()
}
