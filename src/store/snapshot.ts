import type { StoreReader } from "./store.ts"
import type { UserRecord } from "./users.ts"

/** The state of a database at one moment. Reads may take any time, and do not see concurrent writes. */
export interface Snapshot {
  readonly store: Omit<StoreReader, symbol>
  readonly users: UserNames
}

/** Reads the names of the users of the console. */
export interface UserNames {
  /** Returns the users with the given ids. Unknown ids are omitted. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserName>>
}

export type UserName = Pick<UserRecord, "name" | "email">
