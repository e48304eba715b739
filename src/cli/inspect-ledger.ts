import { existsSync } from "node:fs"
import { type ReadAnchor, readAnchor } from "../ledger/anchor-file.ts"
import { LedgerError } from "../store/ledger-error.ts"
import { type DatabasePlace, databaseOf } from "../store/installation-database.ts"
import { type AuditVerdict, verifyAudit } from "../ledger/verify/audit.ts"
import { type Verdict, verifyLedgers } from "../ledger/verify/ledgers.ts"
import type { VerifyOptions } from "../ledger/verify/progress.ts"

/** The result of inspecting a ledger in read-only mode. */
export interface LedgerInspection {
  /** The path of the inspected ledger, for the operator. */
  readonly path: string
  readonly hasLog: boolean
  readonly anchor: ReadAnchor | undefined
  readonly verdict: Verdict
  readonly audit: AuditVerdict
}

/**
 * Inspects the ledger of a data folder, which may be a copy, or on read-only media. Creates
 * nothing.
 * @throws LedgerError `not_found`, `missing`, `damaged`, `unavailable`, `other_version`.
 */
export async function inspectLedger(
  settings: DatabasePlace,
  options: VerifyOptions = {},
): Promise<LedgerInspection> {
  const { data: dataDirectory } = settings
  const database = databaseOf(settings)
  const path = database.place
  if (!(await database.exists())) throw noLedger(path, dataDirectory)
  // The anchor is read first, because the ledger may grow while it is read.
  const secrets = await database.openSecrets()
  const anchor = readAnchor(dataDirectory, secrets.read("key-pepper"))
  const withLog = await database.hasLog()
  await using store = await database.openReader()
  const inside = await store.integrity.findAnchor()
  const ends = [inside.audit, ...(anchor ? [anchor.anchor.audit] : [])]
  return {
    path,
    hasLog: withLog,
    anchor,
    verdict: await verifyLedgers(store, anchor, options),
    audit: await verifyAudit(store, ends),
  }
}

/** Describes the result of comparing the ledger's end with its anchor. */
export function anchorWords(anchor: ReadAnchor | undefined): string {
  if (anchor === undefined) {
    return "no anchor file next to the ledger: a truncation that also removed the ledger's own anchor would not be noticed"
  }
  const { at, rowCount } = anchor.anchor
  const words = `${rowCount} rows recorded at ${new Date(at).toISOString()}`
  if (anchor.isGenuine === null)
    return `${words}; not checked whether it is genuine: the folder has no secrets`
  return anchor.isGenuine ? words : `${words}; not signed by this folder's secret`
}

function noLedger(path: string, dataDirectory: string): LedgerError {
  const words = existsSync(dataDirectory) ? "there is no ledger" : "the folder does not exist"
  return new LedgerError("not_found", `${words} at ${path}`)
}
