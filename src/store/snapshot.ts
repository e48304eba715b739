import type { StoreReader } from "./store.ts"
import type { UserRecord } from "./users.ts"

/** A database at one moment. Reads may take any time, and concurrent writes are not visible. */
export interface Snapshot {
  readonly store: Omit<StoreReader, symbol>
  readonly users: UserNames
}

/** Reads the names of the console's users. */
export interface UserNames {
  /** Returns the existing users among the ids. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserName>>
}

export type UserName = Pick<UserRecord, "name" | "email">
