import type { StoreReader } from "./store.ts"
import type { UserRecord } from "./users.ts"

/** A database as it is at one moment, however long it is read, while others go on writing. */
export interface Snapshot {
  readonly store: Omit<StoreReader, symbol>
  readonly users: UserNames
}

/** What users of the console are called. */
export interface UserNames {
  /** Those of the ids that exist. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserName>>
}

export type UserName = Pick<UserRecord, "name" | "email">
