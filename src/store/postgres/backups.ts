import type { BackupRecord } from "../backups.ts"
import type { Store } from "../store.ts"
import type { Statements } from "./client.ts"
import type { StoreParts } from "./store-parts.ts"

interface BackupRow {
  readonly place: string
  readonly at: bigint
  readonly every: bigint | null
}

export function backupMethods({ client, audited }: StoreParts): Store["backups"] {
  return {
    list: () => list(client),
    note: (backup, audit) => audited(audit, (transaction) => note(transaction, backup)),
  }
}

async function list(statements: Statements): Promise<BackupRecord[]> {
  const rows = await statements.rows<BackupRow>(
    "SELECT place, at, every FROM backups ORDER BY at DESC, place",
    [],
  )
  return rows.map(({ place, at, every }) => ({
    place,
    at: Number(at),
    every: every === null ? null : Number(every),
  }))
}

async function note(transaction: Statements, { place, at, every }: BackupRecord): Promise<void> {
  await transaction.run(
    `INSERT INTO backups (place, at, every) VALUES ($1, $2, $3)
     ON CONFLICT (place) DO UPDATE SET at = excluded.at, every = coalesce(excluded.every, backups.every)`,
    [place, BigInt(at), every === null ? null : BigInt(every)],
  )
}
