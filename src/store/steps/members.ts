import type { MemberFilter, MemberRecord, MemberRole } from "../members.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import type { TimePosition } from "../time-position.ts"
import { audited } from "./audit.ts"
import { column, RecordColumns } from "./record-columns.ts"
import { oneOf, sql, where } from "./sql.ts"
import {
  exists,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

const MEMBER = new RecordColumns<MemberRecord>({
  id: "text",
  account: "text",
  user: column("text", sql`user_id`),
  role: "text",
  joinedAt: "number",
})
const SELECT = sql`SELECT ${MEMBER.selected} FROM members`

export const memberSteps: StepMethods<Store["members"]> = {
  find: statements(find),
  list: statements(list),
  add: transaction((member, audit) => audited(audit, addMember(member))),
  changeRole: transaction((id, role, audit) => audited(audit, changeRole(id, role))),
  remove: transaction((id, audit) => audited(audit, remove(id))),
}

/**
 * Adds a member.
 * @throws StoreError `not_found` if the account does not exist, `exists` if the user is already a member.
 */
export function* addMember(member: MemberRecord): Step<MemberRecord> {
  yield* run(sql`INSERT INTO members (${MEMBER.names}) VALUES (${MEMBER.values(member)})`, {
    members_account_fkey: () => rejections.noAccount(member.account),
    members_account_user_id_key: rejections.isMember,
  })
  return member
}

function find(id: string): Step<MemberRecord | null> {
  return MEMBER.row(sql`${SELECT} WHERE id = ${id}`)
}

function list(
  { accounts, users }: MemberFilter,
  after: TimePosition | null,
  limit: number,
): Step<MemberRecord[]> {
  return MEMBER.rows(
    sql`${SELECT} ${where(
      accounts && sql`account ${oneOf(accounts)}`,
      users && sql`user_id ${oneOf(users)}`,
      after && sql`(joined_at, id) > (${after.at}, ${after.id})`,
    )} ORDER BY joined_at, id LIMIT ${limit}`,
  )
}

function* changeRole(id: string, role: MemberRole): Step<MemberRecord> {
  const member = yield* lockMember(id)
  if (role !== "owner") yield* keepOwner(member)
  yield* run(sql`UPDATE members SET role = ${role} WHERE id = ${id}`)
  return { ...member, role }
}

function* remove(id: string): Step<MemberRecord> {
  const member = yield* lockMember(id)
  yield* keepOwner(member)
  yield* run(sql`DELETE FROM members WHERE id = ${id}`)
  return member
}

/** Finds a member and locks the account, so that its members do not change until the transaction ends. */
function* lockMember(id: string): Step<MemberRecord> {
  yield* runOnPostgresql(
    sql`SELECT id FROM accounts WHERE id = (SELECT account FROM members WHERE id = ${id}) FOR NO KEY UPDATE`,
  )
  const member = yield* find(id)
  if (!member) throw rejections.noMember(id)
  return member
}

/** Requires that the account keeps an owner, because only owners can invite and remove members. */
function* keepOwner({ id, account, role }: MemberRecord): Step<void> {
  if (role !== "owner") return
  const others = sql`SELECT id FROM members WHERE account = ${account} AND role = 'owner' AND id <> ${id} LIMIT 1`
  if (!(yield* exists(others))) throw rejections.lastOwner()
}
