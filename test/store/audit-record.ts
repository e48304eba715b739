import type { NewAuditRecord } from "../../src/store/audit.ts"

/** What a test writes into the audit log where it changes the store by itself. */
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
