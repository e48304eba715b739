import type { Database } from "bun:sqlite"
import type { BackupRecord } from "../backups.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface BackupRow {
  readonly place: string
  readonly at: bigint
  readonly every: bigint | null
}

export function backupMethods(
  transactions: Transactions,
  database: Database,
): DirectStore["backups"] {
  return {
    list: () => list(database),
    note: (backup, audit) => transactions.audited(audit, () => note(database, backup)),
  }
}

function list(database: Database): BackupRecord[] {
  return database
    .query<BackupRow, []>("SELECT place, at, every FROM backups ORDER BY at DESC, place")
    .all()
    .map(({ place, at, every }) => ({
      place,
      at: Number(at),
      every: every === null ? null : Number(every),
    }))
}

function note(database: Database, { place, at, every }: BackupRecord): void {
  database.run(
    `INSERT INTO backups (place, at, every) VALUES (?, ?, ?)
     ON CONFLICT (place) DO UPDATE SET at = excluded.at, every = coalesce(excluded.every, every)`,
    [place, BigInt(at), every === null ? null : BigInt(every)],
  )
}
