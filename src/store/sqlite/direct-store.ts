import type { Store } from "../store.ts"
import type { Direct, GroupsOf } from "../methods.ts"

/** The store on the thread that has the file open: synchronous. */
export type DirectStore = Direct<GroupsOf<Store>>
