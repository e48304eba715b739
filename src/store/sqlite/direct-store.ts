import type { Store } from "../store.ts"
import type { Direct, GroupsOf } from "./methods.ts"

/** The store as it answers on the thread that has the file open: at once. */
export type DirectStore = Direct<GroupsOf<Store>>
