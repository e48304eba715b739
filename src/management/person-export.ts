import type { PersonExport, User } from "#contract/members.ts"
import type { InvitationRecord } from "../store/invitations.ts"
import type { Store } from "../store/store.ts"
import type { Users } from "../users/users.ts"
import { accountNames } from "./stored-accounts.ts"
import type { Audit, ReadableRecord } from "./audit.ts"
import { passkeyDocument } from "./own-passkeys.ts"
import { pagesOf } from "./pages.ts"
import { recordsAbout } from "./person-records.ts"

/** Number of invitations per read. */
const PAGE_SIZE = 500
/** Number of parts without records after which white space is sent. */
const MAX_SILENT_PARTS = 500

export interface PersonExportParts {
  readonly store: Pick<Store, "accounts" | "audit" | "invitations">
  readonly users: Users
  readonly audit: Audit
}

/** The exported data of a person. */
export interface ExportedPerson {
  readonly facts: Omit<PersonExport, "audit">
  /** The records of the field `audit`, newest first, in parts that may be empty. */
  readonly audit: AsyncIterable<PersonExport["audit"]>
}

/** Exports the data stored about a person, without passwords, secrets of the second factor, and tokens. */
export async function exportPerson(parts: PersonExportParts, user: User): Promise<ExportedPerson> {
  return { facts: await factsOf(parts, user), audit: auditOf(parts, user) }
}

/** Returns a complete export. */
export async function wholeExport({ facts, audit }: ExportedPerson): Promise<PersonExport> {
  return { ...facts, audit: (await Array.fromAsync(audit)).flat() }
}

/**
 * Yields the text of an export as JSON. White space is sent during a long search, because an idle connection would be
 * closed.
 */
export async function* exportText({ facts, audit }: ExportedPerson): AsyncGenerator<string> {
  yield `${JSON.stringify(facts).slice(0, -1)},"audit":[`
  let isFirst = true
  let silentParts = 0
  for await (const records of audit) {
    silentParts = records.length > 0 ? 0 : silentParts + 1
    if (silentParts > 0 && silentParts % MAX_SILENT_PARTS === 0) yield " "
    if (records.length === 0) continue
    yield (isFirst ? "" : ",") + JSON.stringify(records).slice(1, -1)
    isFirst = false
  }
  yield "]}"
}

async function* auditOf(
  parts: PersonExportParts,
  user: User,
): AsyncGenerator<PersonExport["audit"]> {
  for await (const records of recordsAbout(parts, user)) {
    yield records.map((record) => recordFor(user.id, record))
  }
}

async function factsOf(parts: PersonExportParts, user: User): Promise<ExportedPerson["facts"]> {
  const { store, users } = parts
  const { id, email } = user
  const sessions = await users.sessions(id)
  const invitations = await invitationsTo(store, email)
  const names = await accountNames(
    store,
    invitations.map(({ account }) => account),
  )
  return {
    object: "user_export",
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
  }
}

async function invitationsTo(
  store: Pick<Store, "invitations">,
  email: string,
): Promise<InvitationRecord[]> {
  const now = Date.now()
  const pages = pagesOf<InvitationRecord>(PAGE_SIZE, (last) => {
    const after = last ? { at: last.createdAt, id: last.id } : null
    return store.invitations.listTo(email, now, after, PAGE_SIZE)
  })
  return (await Array.fromAsync(pages)).flat()
}

function recordFor(id: string, record: ReadableRecord): PersonExport["audit"][number] {
  const { actorId, actorKind, actorName, address } = record
  // An actor without an id is an unauthenticated person, whose name is the email address that was entered. It is only
  // shown if it belongs to the exported person.
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
