import type {
  AccountRecord,
  Batch,
  EntryRecord,
  HoldRecord,
  KeyRecord,
  KeySecretRecord,
  LeaseGrant,
  LeaseOrder,
  NewEntry,
  NewKey,
  NodeNews,
  NodeRecord,
  Posted,
  ReceiptRecord,
} from "./records.ts"

/** What a store refuses because of what it holds. The codes cross threads, so they are plain text. */
export class StoreError extends Error {
  override readonly name = "StoreError"
  readonly code: "exists" | "not_found" | "insufficient"

  constructor(code: StoreError["code"], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The database, whatever it is: SQL stays behind this. Every method is one atomic step, and what a
 * step that writes has answered is on disk.
 */
export interface Store extends AsyncDisposable {
  /** @throws StoreError `exists` when the name is taken. */
  createAccount(account: { id: string; name: string; createdAt: number }): Promise<AccountRecord>
  /** By id or by name. */
  findAccount(idOrName: string): Promise<AccountRecord | null>
  listAccounts(): Promise<AccountRecord[]>

  /** @throws StoreError `insufficient` when the balance would fall below zero or below the leases. */
  addEntry(entry: NewEntry): Promise<EntryRecord>
  /** In the order of their numbers, from `after` on. */
  listEntries(account: string, after: number, limit: number): Promise<EntryRecord[]>
  /** The receipt of a request; null when there is none. */
  findReceipt(request: string): Promise<ReceiptRecord | null>

  /** @throws StoreError `not_found` when there is no such account. */
  insertKey(key: NewKey): Promise<KeyRecord>
  /**
   * Replaces the secret; the old ones work until `graceUntil`.
   * @throws StoreError `not_found` when there is no such key, or it was revoked.
   */
  rotateKey(id: string, secret: KeySecretRecord, graceUntil: number): Promise<KeyRecord>
  /** @throws StoreError `not_found`. */
  revokeKey(id: string, at: number): Promise<KeyRecord>
  findKey(id: string): Promise<KeyRecord | null>
  listKeys(account: string | null): Promise<KeyRecord[]>
  /** The keys that changed after a revision, and the revision now. */
  keysSince(revision: number): Promise<{ revision: number; keys: KeyRecord[] }>

  joinNode(node: NodeRecord): Promise<void>
  /** Looks for news; with `beatAt` it also says that the node lives. */
  pollNode(id: string, beatAt: number | null): Promise<NodeNews>
  listNodes(): Promise<NodeRecord[]>
  /** Gives back all leases of a node that leaves or died; its open holds expire and are returned. */
  removeNode(id: string, at: number): Promise<HoldRecord[]>

  /** Leases what is wanted or a fair share, if there is enough to be of use; when short, asks other nodes for their idle part. */
  lease(order: LeaseOrder): Promise<LeaseGrant>
  returnLease(node: string, owner: string, amount: bigint): Promise<void>
  /** Posts a batch: entries, receipts, balances, leases and holds in one transaction. */
  post(node: string, batch: Batch): Promise<Posted[]>
}

/** The same steps as a store that answers at once: what runs inside the store's own thread. */
export type DirectStore = {
  [Method in Exclude<keyof Store, symbol>]: (
    ...parameters: Parameters<Store[Method]>
  ) => Awaited<ReturnType<Store[Method]>>
}

/** The names of all steps. */
export const STEPS = [
  "createAccount",
  "findAccount",
  "listAccounts",
  "addEntry",
  "listEntries",
  "findReceipt",
  "insertKey",
  "rotateKey",
  "revokeKey",
  "findKey",
  "listKeys",
  "keysSince",
  "joinNode",
  "pollNode",
  "listNodes",
  "removeNode",
  "lease",
  "returnLease",
  "post",
] as const satisfies readonly (keyof DirectStore)[]
