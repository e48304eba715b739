import type { Database, Statement } from "bun:sqlite"
import { MEMBER_COLUMNS, memberFromRow, type MemberRow } from "../member-rows.ts"
import type { MemberFilter, MemberRecord, MemberRole } from "../members.ts"
import { refusals } from "../refusals.ts"
import type { TimePosition } from "../time-position.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

type ListParameters = [string | null, string | null, bigint, string, bigint]

/** Who belongs to which account. Methods that write expect to run inside a transaction. */
export class Members {
  readonly #insert: Statement<unknown, [string, string, string, string, bigint]>
  readonly #find: Statement<MemberRow, [string]>
  readonly #list: Statement<MemberRow, ListParameters>
  readonly #otherOwner: Statement<unknown, [string, string]>
  readonly #change: Statement<unknown, [string, string]>
  readonly #remove: Statement<unknown, [string]>
  readonly #account: Statement<unknown, [string]>

  constructor(database: Database) {
    this.#insert = database.prepare("INSERT INTO members VALUES (?, ?, ?, ?, ?)")
    this.#find = database.prepare(`SELECT ${MEMBER_COLUMNS} FROM members WHERE id = ?`)
    this.#list = database.prepare(
      `SELECT ${MEMBER_COLUMNS} FROM members
       WHERE (?1 IS NULL OR account IN (SELECT value FROM json_each(?1)))
         AND (?2 IS NULL OR user_id IN (SELECT value FROM json_each(?2)))
         AND (joined_at, id) > (?3, ?4)
       ORDER BY joined_at, id LIMIT ?5`,
    )
    this.#otherOwner = database.prepare(
      "SELECT 1 FROM members WHERE account = ? AND role = 'owner' AND id <> ? LIMIT 1",
    )
    this.#change = database.prepare("UPDATE members SET role = ? WHERE id = ?")
    this.#remove = database.prepare("DELETE FROM members WHERE id = ?")
    this.#account = database.prepare("SELECT 1 FROM accounts WHERE id = ?")
  }

  add(member: MemberRecord): MemberRecord {
    const { id, account, user, role, joinedAt } = member
    if (this.#account.get(account) === null) {
      throw refusals.noAccount(account)
    }
    if (this.list({ accounts: [account], users: [user] }, null, 1).length > 0) {
      throw refusals.isMember()
    }
    this.#insert.run(id, account, user, role, BigInt(joinedAt))
    return member
  }

  find(id: string): MemberRecord | null {
    const row = this.#find.get(id)
    return row ? memberFromRow(row) : null
  }

  /** In the order in which they joined. */
  list(filter: MemberFilter, after: TimePosition | null, limit: number): MemberRecord[] {
    const rows = this.#list.all(
      filter.accounts ? JSON.stringify(filter.accounts) : null,
      filter.users ? JSON.stringify(filter.users) : null,
      BigInt(after?.at ?? -1),
      after?.id ?? "",
      BigInt(limit),
    )
    return rows.map(memberFromRow)
  }

  change(id: string, role: MemberRole): MemberRecord {
    const member = this.#require(id)
    if (role !== "owner") this.#keepOwner(member)
    this.#change.run(role, id)
    return { ...member, role }
  }

  remove(id: string): MemberRecord {
    const member = this.#require(id)
    this.#keepOwner(member)
    this.#remove.run(id)
    return member
  }

  /** An account that has an owner keeps one: someone has to be able to invite and to remove. */
  #keepOwner(member: MemberRecord): void {
    if (member.role !== "owner" || this.#otherOwner.get(member.account, member.id) !== null) return
    throw refusals.lastOwner()
  }

  #require(id: string): MemberRecord {
    const member = this.find(id)
    if (!member) throw refusals.noMember(id)
    return member
  }
}

interface MemberParts {
  readonly transactions: Transactions
  readonly members: Members
}

export function memberMethods({ transactions, members }: MemberParts): DirectStore["members"] {
  return {
    find: (id) => members.find(id),
    list: (filter, after, limit) => members.list(filter, after, limit),
    add: (member, audit) => transactions.audited(audit, () => members.add(member)),
    changeRole: (id, role, audit) => transactions.audited(audit, () => members.change(id, role)),
    remove: (id, audit) => transactions.audited(audit, () => members.remove(id)),
  }
}
