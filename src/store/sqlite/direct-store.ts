import type { Store } from "../store.ts"
import type { Direct, GroupsOf } from "../methods.ts"

/** The synchronous store, for the thread that has opened the file. */
export type DirectStore = Direct<GroupsOf<Store>>
