import type { InvitationRecord, NewInvitation } from "../invitations.ts"
import type { AccountLimits } from "../accounts.ts"
import { INVITATION_COLUMNS, invitationFromRow, type InvitationRow } from "../member-rows.ts"
import type { MemberRecord } from "../members.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import type { TimePosition } from "../time-position.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { isViolationOf } from "./failure.ts"
import { addMember } from "./members.ts"
import type { StoreParts } from "./store-parts.ts"

const IS_OPEN = "accepted_at IS NULL AND expires_at > $1"

export function invitationMethods({ client, audited }: StoreParts): Store["invitations"] {
  return {
    find: (id, now) => findBy(client, "id", id, now),
    findByToken: (tokenHash, now) => findBy(client, "token_hash", tokenHash, now),
    isInvited: async (email, now) => (await findBy(client, "email", email, now)) !== null,
    list: (accounts, now, after, limit) => list(client, { accounts, now }, after, limit),
    insert: (invitation, audit) => audited(audit, (transaction) => insert(transaction, invitation)),
    remove: (id, now, audit) => audited(audit, (transaction) => remove(transaction, id, now)),
    accept: (id, member, audit) => audited(audit, (transaction) => accept(transaction, id, member)),
  }
}

async function findBy(
  statements: Statements,
  column: "id" | "token_hash" | "email",
  value: string,
  now: number,
): Promise<InvitationRecord | null> {
  const row = await statements.row<InvitationRow>(
    `SELECT ${INVITATION_COLUMNS} FROM invitations WHERE ${IS_OPEN} AND ${column} = $2 LIMIT 1`,
    [BigInt(now), value],
  )
  return row ? invitationFromRow(row) : null
}

async function list(
  statements: Statements,
  { accounts, now }: { readonly accounts: readonly string[] | null; readonly now: number },
  after: TimePosition | null,
  limit: number,
): Promise<InvitationRecord[]> {
  const conditions = new Conditions()
  conditions.always("accepted_at IS NULL")
  conditions.add("expires_at > ?", now)
  conditions.among("account", accounts ?? undefined)
  conditions.after("(created_at, id) >", after)
  const rows = await statements.rows<InvitationRow>(
    `SELECT ${INVITATION_COLUMNS} FROM invitations ${conditions.where}
     ORDER BY created_at, id LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  return rows.map(invitationFromRow)
}

async function insert(
  transaction: Statements,
  { tokenHash, ...invitation }: NewInvitation,
): Promise<InvitationRecord> {
  const { id, account, email, role, invitedBy, createdAt, expiresAt } = invitation
  await requireRoom(transaction, account, createdAt)
  try {
    await transaction.run(
      `INSERT INTO invitations (${INVITATION_COLUMNS}, token_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, account, email, role, invitedBy, BigInt(createdAt), BigInt(expiresAt), tokenHash],
    )
  } catch (error) {
    throw isViolationOf(error, "invitations_account_fkey") ? refusals.noAccount(account) : error
  }
  return invitation
}

/** @throws StoreError `not_found`, or `too_much`: of two that invite, the second sees the first. */
async function requireRoom(transaction: Statements, account: string, now: number): Promise<void> {
  const row = await transaction.row<{ limits: string }>(
    "SELECT limits FROM accounts WHERE id = $1 FOR NO KEY UPDATE",
    [account],
  )
  if (!row) throw refusals.noAccount(account)
  const { invitations: most } = JSON.parse(row.limits) as AccountLimits
  if (most === undefined) return
  const found = await transaction.row<{ count: bigint }>(
    `SELECT count(*) FROM invitations WHERE ${IS_OPEN} AND account = $2`,
    [BigInt(now), account],
  )
  if (Number(found?.count ?? 0n) >= most) throw refusals.tooManyInvitations(most)
}

async function remove(transaction: Statements, id: string, now: number): Promise<InvitationRecord> {
  const row = await transaction.row<InvitationRow>(
    `DELETE FROM invitations WHERE ${IS_OPEN} AND id = $2 RETURNING ${INVITATION_COLUMNS}`,
    [BigInt(now), id],
  )
  if (!row) throw refusals.noInvitation(id)
  return invitationFromRow(row)
}

/** Uses it up and adds the member, both or neither: whoever is second finds it used. */
async function accept(
  transaction: Statements,
  id: string,
  member: MemberRecord,
): Promise<MemberRecord> {
  const changed = await transaction.run(
    `UPDATE invitations SET accepted_at = $1 WHERE ${IS_OPEN} AND id = $2`,
    [BigInt(member.joinedAt), id],
  )
  if (changed === 0) throw refusals.invitationIsClosed()
  return addMember(transaction, member)
}
