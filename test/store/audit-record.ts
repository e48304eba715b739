import type { NewAuditRecord } from "../../src/store/audit.ts"

/** The audit record for tests that change the store directly. */
export const AUDIT: NewAuditRecord = {
  at: 1,
  actorKind: "command",
  actorId: null,
  actorName: "test",
  action: "test.change",
  account: null,
  target: null,
  before: null,
  after: null,
  address: null,
}
