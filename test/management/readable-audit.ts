import { decryptRecords, type ReadableRecord } from "../../src/management/audit.ts"
import { PersonalNames } from "../../src/management/personal-names.ts"
import type { AuditFilter } from "../../src/store/audit.ts"
import type { Store } from "../../src/store/store.ts"

/** The newest records with the names in them, as the management API shows them. */
export async function readableAudit(
  store: Store,
  filter: AuditFilter,
  limit = 100,
): Promise<ReadableRecord[]> {
  return decryptRecords(new PersonalNames(store), await store.audit.list(filter, null, limit))
}
