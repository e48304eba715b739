import { decryptRecords, type ReadableRecord } from "../../src/management/audit.ts"
import { PersonalNames } from "../../src/management/personal-names.ts"
import type { AuditFilter } from "../../src/store/audit.ts"
import type { Store } from "../../src/store/store.ts"

/** Returns the newest records with names, as the management API returns them. */
export async function readableAudit(
  store: Store,
  filter: AuditFilter,
  limit = 100,
): Promise<ReadableRecord[]> {
  return decryptRecords(new PersonalNames(store), await store.audit.list(filter, null, limit))
}
