import type { Database, Statement } from "bun:sqlite"
import type { InvitationRecord, NewInvitation } from "../invitations.ts"
import { INVITATION_COLUMNS, invitationFromRow, type InvitationRow } from "../member-rows.ts"
import type { MemberRecord } from "../members.ts"
import { refusals } from "../refusals.ts"
import type { TimePosition } from "../time-position.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Members } from "./members.ts"
import type { AccountLimits } from "../accounts.ts"
import type { Transactions } from "./transactions.ts"

const SELECT = `SELECT ${INVITATION_COLUMNS} FROM invitations`
const IS_OPEN = "accepted_at IS NULL AND expires_at > ?1"

/** Invitations into accounts: each good once, until it expires. Methods that write expect a transaction. */
export class Invitations {
  readonly #members: Members
  readonly #insert: Statement<unknown, (string | bigint)[]>
  readonly #find: Statement<InvitationRow, [bigint, string]>
  readonly #findByToken: Statement<InvitationRow, [bigint, string]>
  readonly #isInvited: Statement<unknown, [bigint, string]>
  readonly #list: Statement<InvitationRow, [bigint, string | null, bigint, string, bigint]>
  readonly #remove: Statement<unknown, [string]>
  readonly #accept: Statement<unknown, [bigint, string]>
  readonly #account: Statement<{ limits: string; open: bigint }, [bigint, string]>

  constructor(database: Database, members: Members) {
    this.#members = members
    this.#insert = database.prepare("INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)")
    this.#find = database.prepare(`${SELECT} WHERE ${IS_OPEN} AND id = ?2`)
    this.#findByToken = database.prepare(`${SELECT} WHERE ${IS_OPEN} AND token_hash = ?2`)
    this.#isInvited = database.prepare(
      `SELECT 1 FROM invitations WHERE ${IS_OPEN} AND email = ?2 LIMIT 1`,
    )
    this.#list = database.prepare(
      `${SELECT} WHERE ${IS_OPEN}
         AND (?2 IS NULL OR account IN (SELECT value FROM json_each(?2)))
         AND (created_at, id) > (?3, ?4)
       ORDER BY created_at, id LIMIT ?5`,
    )
    this.#remove = database.prepare("DELETE FROM invitations WHERE id = ?")
    this.#accept = database.prepare("UPDATE invitations SET accepted_at = ? WHERE id = ?")
    this.#account = database.prepare(
      `SELECT limits, (SELECT count(*) FROM invitations
         WHERE account = accounts.id AND accepted_at IS NULL AND expires_at > ?1) AS open
       FROM accounts WHERE id = ?2`,
    )
  }

  insert(invitation: NewInvitation): InvitationRecord {
    const account = this.#account.get(BigInt(invitation.createdAt), invitation.account)
    if (account === null) throw refusals.noAccount(invitation.account)
    const { invitations: most } = JSON.parse(account.limits) as AccountLimits
    if (most !== undefined && Number(account.open) >= most) throw refusals.tooManyInvitations(most)
    this.#insert.run(
      invitation.id,
      invitation.account,
      invitation.email,
      invitation.role,
      invitation.tokenHash,
      invitation.invitedBy,
      BigInt(invitation.createdAt),
      BigInt(invitation.expiresAt),
    )
    const { tokenHash: _, ...record } = invitation
    return record
  }

  find(id: string, now: number): InvitationRecord | null {
    const row = this.#find.get(BigInt(now), id)
    return row ? invitationFromRow(row) : null
  }

  findByToken(tokenHash: string, now: number): InvitationRecord | null {
    const row = this.#findByToken.get(BigInt(now), tokenHash)
    return row ? invitationFromRow(row) : null
  }

  isInvited(email: string, now: number): boolean {
    return this.#isInvited.get(BigInt(now), email) !== null
  }

  /** Open ones, the oldest first. */
  list(
    accounts: readonly string[] | null,
    now: number,
    after: TimePosition | null,
    limit: number,
  ): InvitationRecord[] {
    const rows = this.#list.all(
      BigInt(now),
      accounts ? JSON.stringify(accounts) : null,
      BigInt(after?.at ?? -1),
      after?.id ?? "",
      BigInt(limit),
    )
    return rows.map(invitationFromRow)
  }

  remove(id: string, now: number): InvitationRecord {
    const invitation = this.find(id, now)
    if (!invitation) throw refusals.noInvitation(id)
    this.#remove.run(id)
    return invitation
  }

  /** Uses it up and adds the member, both or neither. */
  accept(id: string, member: MemberRecord): MemberRecord {
    if (!this.find(id, member.joinedAt)) {
      throw refusals.invitationIsClosed()
    }
    this.#accept.run(BigInt(member.joinedAt), id)
    return this.#members.add(member)
  }
}

interface InvitationParts {
  readonly transactions: Transactions
  readonly invitations: Invitations
}

export function invitationMethods(parts: InvitationParts): DirectStore["invitations"] {
  const { transactions, invitations } = parts
  return {
    find: (id, now) => invitations.find(id, now),
    findByToken: (hash, now) => invitations.findByToken(hash, now),
    isInvited: (email, now) => invitations.isInvited(email, now),
    list: (accounts, now, after, limit) => invitations.list(accounts, now, after, limit),
    insert: (invitation, audit) =>
      transactions.audited(audit, () => invitations.insert(invitation)),
    remove: (id, now, audit) => transactions.audited(audit, () => invitations.remove(id, now)),
    accept: (id, member, audit) =>
      transactions.audited(audit, () => invitations.accept(id, member)),
  }
}
