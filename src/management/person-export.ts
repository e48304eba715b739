import type { PersonExport, User } from "tollgate-contract/members.ts"
import type { AuditRecord } from "../accounting/chained-records.ts"
import type { AuditFilter } from "../store/audit.ts"
import type { Store } from "../store/store.ts"
import type { Users } from "../users/users.ts"
import { type Audit, openRecords, type ReadableRecord } from "./audit.ts"

/** How many audit records are read at once. */
const PAGE = 500

export interface PersonExportParts {
  readonly store: Pick<Store, "audit">
  readonly users: Users
  readonly audit: Audit
}

/** What is stored of a person: no password, no secret of a second factor, no token. */
export async function exportPerson(
  { store, users, audit }: PersonExportParts,
  user: User,
): Promise<PersonExport> {
  const { id } = user
  const sessions = await users.sessions(id)
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
    audit: (await openRecords(audit.names, await recordsAbout(store, id))).map((record) =>
      recordFor(id, record),
    ),
  }
}

/** What they did, and what was done to them, the newest first. */
export async function recordsAbout(
  store: Pick<Store, "audit">,
  id: string,
): Promise<AuditRecord[]> {
  // The filter finds an id in names too.
  const own = (await recordsOf(store, { actor: id })).filter(({ actorId }) => actorId === id)
  const about = await recordsOf(store, { target: id })
  const records = new Map([...own, ...about].map((record) => [record.number, record]))
  return [...records.values()].toSorted((one, other) => other.number - one.number)
}

async function recordsOf(store: Pick<Store, "audit">, filter: AuditFilter): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for (;;) {
    const page = await store.audit.list(filter, records.at(-1)?.number ?? null, PAGE)
    records.push(...page)
    if (page.length < PAGE) return records
  }
}

function recordFor(id: string, record: ReadableRecord): PersonExport["audit"][number] {
  const isOwn = record.actorId === id
  return {
    number: record.number,
    at: new Date(record.at).toISOString(),
    actor: isOwn ? { name: record.actorName, address: record.address } : null,
    action: record.action,
    account: record.account,
    target: record.target,
    before: record.before,
    after: record.after,
  }
}
