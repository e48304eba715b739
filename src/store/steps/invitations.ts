import type { InvitationRecord, NewInvitation } from "../invitations.ts"
import type { MemberRecord } from "../members.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import type { TimePosition } from "../time-position.ts"
import { requireRoom } from "./account-room.ts"
import { audited } from "./audit.ts"
import { addMember } from "./members.ts"
import { RecordColumns } from "./record-columns.ts"
import { oneOf, sql, type Sql, where } from "./sql.ts"
import { run, statements, type Step, type StepMethods, transaction } from "./step.ts"

const INVITATION = new RecordColumns<InvitationRecord>({
  id: "text",
  account: "text",
  email: "text",
  role: "text",
  invitedBy: "text",
  createdAt: "number",
  expiresAt: "number",
})

export const invitationSteps: StepMethods<Store["invitations"]> = {
  find: statements((id, now) => findBy(sql`id = ${id}`, now)),
  findByToken: statements((hash, now) => findBy(sql`token_hash = ${hash}`, now)),
  isInvited: statements(isInvited),
  list: statements((accounts, ...rest) =>
    list(accounts && sql`account ${oneOf(accounts)}`, ...rest),
  ),
  listTo: statements((email, ...rest) => list(sql`email = ${email}`, ...rest)),
  insert: transaction((invitation, audit) => audited(audit, insert(invitation))),
  remove: transaction((id, now, audit) => audited(audit, remove(id, now))),
  accept: transaction((id, member, audit) => audited(audit, accept(id, member))),
}

function isOpen(now: number): Sql {
  return sql`accepted_at IS NULL AND expires_at > ${now}`
}

function findBy(condition: Sql, now: number): Step<InvitationRecord | null> {
  return INVITATION.row(
    sql`SELECT ${INVITATION.selected} FROM invitations WHERE ${isOpen(now)} AND ${condition} LIMIT 1`,
  )
}

function* isInvited(email: string, now: number): Step<boolean> {
  return (yield* findBy(sql`email = ${email}`, now)) !== null
}

function list(
  condition: Sql | null,
  now: number,
  after: TimePosition | null,
  limit: number,
): Step<InvitationRecord[]> {
  return INVITATION.rows(
    sql`SELECT ${INVITATION.selected} FROM invitations ${where(
      isOpen(now),
      condition,
      after && sql`(created_at, id) > (${after.at}, ${after.id})`,
    )} ORDER BY created_at, id LIMIT ${limit}`,
  )
}

function* insert({ tokenHash, ...invitation }: NewInvitation): Step<InvitationRecord> {
  const { account, createdAt } = invitation
  const open = sql`invitations WHERE ${isOpen(createdAt)} AND account = ${account}`
  yield* requireRoom(account, "invitations", open, rejections.tooManyInvitations)
  yield* run(
    sql`INSERT INTO invitations (${INVITATION.names}, token_hash)
      VALUES (${INVITATION.values(invitation)}, ${tokenHash})`,
  )
  return invitation
}

function* remove(id: string, now: number): Step<InvitationRecord> {
  const removed = yield* INVITATION.row(
    sql`DELETE FROM invitations WHERE ${isOpen(now)} AND id = ${id} RETURNING ${INVITATION.selected}`,
  )
  if (!removed) throw rejections.noInvitation(id)
  return removed
}

/** Accepts an invitation and adds the member in one transaction. A second attempt finds the invitation used. */
function* accept(id: string, member: MemberRecord): Step<MemberRecord> {
  const now = member.joinedAt
  const changed = yield* run(
    sql`UPDATE invitations SET accepted_at = ${now} WHERE ${isOpen(now)} AND id = ${id}`,
  )
  if (changed === 0) throw rejections.invitationIsClosed()
  return yield* addMember(member)
}
