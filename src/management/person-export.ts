import type { PersonExport, User } from "#contract/members.ts"
import type { InvitationRecord } from "../store/invitations.ts"
import type { Store } from "../store/store.ts"
import type { Users } from "../users/users.ts"
import type { Audit, ReadableRecord } from "./audit.ts"
import { passkeyDocument } from "./own-passkeys.ts"
import { recordsAbout } from "./person-records.ts"

/** Number of invitations per read. */
const PAGE_SIZE = 500

export interface PersonExportParts {
  readonly store: Pick<Store, "accounts" | "audit" | "invitations">
  readonly users: Users
  readonly audit: Audit
}

/** Exports the data stored about a person, without passwords, secrets of the second factor, and tokens. */
export async function exportPerson(parts: PersonExportParts, user: User): Promise<PersonExport> {
  const { store, users } = parts
  const { id, email } = user
  const sessions = await users.sessions(id)
  const names = new Map((await store.accounts.list()).map((account) => [account.id, account.name]))
  const invitations = await invitationsTo(store, email)
  const records = await recordsAbout(parts, user)
  return {
    object: "person",
    user,
    identities: await users.identities(id),
    sessions: sessions.map(({ createdAt, expiresAt, address, agent }) => ({
      created_at: new Date(createdAt).toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
      address,
      agent,
    })),
    passkeys: (await users.passkeys.list(id)).map(passkeyDocument),
    invitations: invitations.map(({ account, role, createdAt, expiresAt }) => ({
      account,
      account_name: names.get(account) ?? account,
      role,
      created_at: new Date(createdAt).toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
    })),
    audit: records.map((record) => recordFor(id, record)),
  }
}

async function invitationsTo(
  store: Pick<Store, "invitations">,
  email: string,
): Promise<InvitationRecord[]> {
  const now = Date.now()
  const own: InvitationRecord[] = []
  for (let last: InvitationRecord | undefined; ;) {
    const after = last ? { at: last.createdAt, id: last.id } : null
    const page = await store.invitations.list(null, now, after, PAGE_SIZE)
    own.push(...page.filter((invitation) => invitation.email === email))
    last = page.at(-1)
    if (page.length < PAGE_SIZE) return own
  }
}

function recordFor(id: string, record: ReadableRecord): PersonExport["audit"][number] {
  const { actorId, actorKind, actorName, address } = record
  // If the actor has no id, the actor has typed an email address. It is only shown if it belongs to the person.
  const isOwn = actorKind === "user" && (actorId ?? id) === id && actorName !== null
  return {
    number: record.number,
    at: new Date(record.at).toISOString(),
    actor: isOwn ? { name: actorName, address } : null,
    action: record.action,
    account: record.account,
    target: record.target,
    before: record.before,
    after: record.after,
  }
}
