import type { AuditRecord } from "../../accounting/chained-records.ts"
import type { AuditFilter } from "../audit.ts"
import type { Store } from "../store.ts"
import { AUDIT_COLUMNS, recorded } from "./audited-steps.ts"
import type { PostgresClient } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { globPattern } from "./glob.ts"

interface AuditRow {
  readonly number: bigint
  readonly at: bigint
  readonly actor_kind: AuditRecord["actorKind"]
  readonly actor_id: string | null
  readonly actor_name: string
  readonly action: string
  readonly account: string | null
  readonly target: string | null
  readonly before_body: string | null
  readonly after_body: string | null
  readonly address: string | null
  readonly previous_hash: string
  readonly hash: string
}

export function auditMethods(client: PostgresClient): Store["audit"] {
  return {
    list: (filter, before, limit) => list(client, filter, { before, limit }),
    append: async (record) => (await recorded(client, record, async () => undefined)).record,
  }
}

async function list(
  client: PostgresClient,
  filter: AuditFilter,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditRecord[]> {
  const conditions = new Conditions()
  conditions.among("account", filter.accounts)
  conditions.add("(actor_id = ? OR strpos(lower(actor_name), lower(?)) > 0)", filter.actor)
  conditions.add(
    "action LIKE ?",
    filter.action === undefined ? undefined : globPattern(filter.action),
  )
  conditions.add("target = ?", filter.target)
  conditions.add("at >= ?", filter.from)
  conditions.add("at < ?", filter.to)
  conditions.add("number < ?", before ?? undefined)
  const rows = await client.rows<AuditRow>(
    `SELECT ${AUDIT_COLUMNS} FROM audit ${conditions.where} ORDER BY number DESC LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  return rows.map(auditFromRow)
}

function auditFromRow(row: AuditRow): AuditRecord {
  return {
    number: Number(row.number),
    at: Number(row.at),
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    actorName: row.actor_name,
    action: row.action,
    account: row.account,
    target: row.target,
    before: row.before_body,
    after: row.after_body,
    address: row.address,
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}
