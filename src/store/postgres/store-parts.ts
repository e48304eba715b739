import type { NewAuditRecord } from "../audit.ts"
import type { PostgresClient, Transaction } from "./client.ts"

/** What aggregates are made of. */
export interface StoreParts {
  readonly client: PostgresClient
  /** A step that changes what people manage, and its record in the audit log: both or neither. */
  readonly audited: <T>(
    record: NewAuditRecord,
    step: (transaction: Transaction) => Promise<T>,
  ) => Promise<T>
}
