import type { TimePosition } from "./time-position.ts"
import type { InvitationRecord, NewInvitation } from "./invitations.ts"
import type { AnchorStep, BalanceFault, BookRow } from "./integrity.ts"
import type { Batch, HoldRecord, Posted, ReceiptRecord } from "./settlements.ts"
import type { LeaseGrant, LeaseOrder, LeaseShare } from "./leases.ts"
import type { NodeNews, NodeRecord } from "./nodes.ts"
import type {
  BudgetRecord,
  KeyChange,
  KeyFilter,
  KeyRecord,
  KeySecretRecord,
  NewKey,
} from "./keys.ts"
import type { EntryRange, NewEntry, StatementLine } from "./entries.ts"
import type { AccountChange, AccountRecord } from "./accounts.ts"
import type {
  EntryKind,
  EntryRecord,
  WriteOffRecord,
  AuditRecord,
} from "../accounting/chained-records.ts"
import type { AuditFilter, NewAuditRecord } from "./audit.ts"
import type { MemberFilter, MemberRecord, MemberRole } from "./members.ts"
import type {
  CardPayment,
  DebtBook,
  OpenReversal,
  Reversal,
  ReversalSettlement,
  NewPayment,
} from "./payments.ts"
import type { CodeRecord, NewCode, Redemption } from "./codes.ts"
import type { Anchor } from "../accounting/anchor.ts"
import type { IdempotencyResult, IdempotencyStep } from "./idempotency.ts"
import type { SettingChange, SettingsState } from "./settings.ts"
import type { VendorStateRecord } from "./vendor-state.ts"

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
  /** @throws StoreError `not_found`, or `exists` when the name is taken. */
  updateAccount(id: string, change: AccountChange): Promise<AccountRecord>

  /**
   * @throws StoreError `not_found`; `insufficient` when the balance would fall below zero or below the
   * leases, which `recall` makes smaller; `too_much` when it would be more than the book can hold.
   */
  addEntry(entry: NewEntry): Promise<EntryRecord>
  /** In the order of their numbers, from `after` on. */
  listEntries(account: string, after: number, limit: number): Promise<EntryRecord[]>
  /** The newest first, those below a number; null begins at the newest. */
  listEntriesBack(
    account: string,
    before: number | null,
    limit: number,
    kind: EntryKind | null,
  ): Promise<EntryRecord[]>
  /** As `listEntries`, with the key and the model of each charge. */
  listStatementLines(account: string, after: number, limit: number): Promise<StatementLine[]>
  /** Where an account's entries of a time are; Unix milliseconds, the end exclusive. */
  findEntries(account: string, from: number, until: number): Promise<EntryRange>
  /** What an account's requests hold, the oldest first. Those that are soon over are not in it. */
  listHolds(account: string): Promise<HoldRecord[]>

  createCode(code: NewCode): Promise<CodeRecord>
  findCode(id: string): Promise<CodeRecord | null>
  /** The newest first, those that come after a code; null begins at the newest. */
  listCodes(after: string | null, limit: number): Promise<CodeRecord[]>
  /** @throws StoreError `not_found`. */
  revokeCode(id: string, at: number): Promise<CodeRecord>
  /**
   * Gives an account what a code is worth: an entry of kind `code` whose note is the code's id.
   * @throws StoreError `not_found`, `revoked`, `expired`, `exists` when this account has redeemed it
   * already, `insufficient` when it was used as often as it may be.
   */
  redeemCode(redemption: Redemption): Promise<EntryRecord>
  /** An entry of kind `payment`. @throws StoreError `exists` for a payment that is told again. */
  addPayment(payment: NewPayment): Promise<EntryRecord>
  findCardPayment(intent: string): Promise<CardPayment | null>
  /** Remembers how a payment that is in the book is told of. */
  knowCardPayment(payment: CardPayment): Promise<void>
  /**
   * Takes note of what takes a payment back, once, however often and in whichever order it is told.
   * @returns what is to be settled now because of all that is known.
   * @throws StoreError `not_found` when the payment is not known.
   */
  noteReversal(reversal: Reversal): Promise<OpenReversal>
  /**
   * Takes it from the account, as far as nobody has leased it, or gives it back: entries of kind
   * `reversal`. What is missing is owed: until it is paid nothing of the account is leased, and what comes
   * in or comes back pays it, by entries of kind `debt`.
   * @throws StoreError `exists` when nothing is open, `conflict` when it is not the amount.
   */
  settleReversal(settlement: ReversalSettlement): Promise<OpenReversal>
  /** All that has to agree about what an account owes. */
  debtBook(account: string): Promise<DebtBook>

  /** The receipt of a request; null when there is none. */
  findReceipt(request: string): Promise<ReceiptRecord | null>
  /** What was written off, of some accounts or of all: the newest first, those below a number; null begins at the newest. */
  listWriteOffs(
    accounts: readonly string[] | undefined,
    before: number | null,
    limit: number,
  ): Promise<WriteOffRecord[]>

  /** @throws StoreError `not_found` when there is no such account. */
  insertKey(key: NewKey): Promise<KeyRecord>
  /**
   * Changes what a key may do. What is left of a budget grows or shrinks with it, not below zero; what
   * nodes have leased of it is taken away as they give it back, which they are asked for.
   * @throws StoreError `not_found`, or `revoked`.
   */
  updateKey(id: string, change: KeyChange): Promise<KeyRecord>
  /**
   * Replaces the secret; the old ones work until `graceUntil`.
   * @throws StoreError `not_found` when there is no such key, or it was revoked.
   */
  rotateKey(id: string, secret: KeySecretRecord, graceUntil: number): Promise<KeyRecord>
  /** @throws StoreError `not_found`. */
  revokeKey(id: string, at: number): Promise<KeyRecord>
  findKey(id: string): Promise<KeyRecord | null>
  /** The newest first. */
  listKeys(filter: KeyFilter, after: TimePosition | null, limit: number): Promise<KeyRecord[]>
  /** The keys that changed after a revision, and the revision now. */
  keysSince(revision: number): Promise<{ revision: number; keys: KeyRecord[] }>
  /** What budgets have spent, of all keys and periods, in the order of their owners from `after` on. */
  listBudgets(after: string, limit: number): Promise<BudgetRecord[]>

  /**
   * Performs another step and appends a record of it to the audit log, both or neither.
   * @throws what the step throws.
   */
  audited(
    step: AuditedStep,
    parameters: readonly unknown[],
    record: NewAuditRecord,
  ): Promise<unknown>
  appendAudit(record: NewAuditRecord): Promise<AuditRecord>
  /** The newest first, those below a number; null begins at the newest. */
  listAudit(filter: AuditFilter, before: number | null, limit: number): Promise<AuditRecord[]>

  /** @throws StoreError `not_found` without the account, `exists` when the user is in it already. */
  addMember(member: MemberRecord): Promise<MemberRecord>
  findMember(id: string): Promise<MemberRecord | null>
  /** In the order in which they joined. */
  listMembers(
    filter: MemberFilter,
    after: TimePosition | null,
    limit: number,
  ): Promise<MemberRecord[]>
  /** @throws StoreError `not_found`; `last_owner` when the account would have none left. */
  changeMember(id: string, role: MemberRole): Promise<MemberRecord>
  /** @throws StoreError `not_found`; `last_owner` when the account would have none left. */
  removeMember(id: string): Promise<MemberRecord>

  /** @throws StoreError `not_found` when there is no such account. */
  insertInvitation(invitation: NewInvitation): Promise<InvitationRecord>
  /** Open ones only, as all that follow. */
  findInvitation(id: string, now: number): Promise<InvitationRecord | null>
  findInvitationByToken(tokenHash: string, now: number): Promise<InvitationRecord | null>
  /** Whether an address is invited into any account. */
  isInvited(email: string, now: number): Promise<boolean>
  /** The oldest first; null means of all accounts. */
  listInvitations(
    accounts: readonly string[] | null,
    now: number,
    after: TimePosition | null,
    limit: number,
  ): Promise<InvitationRecord[]>
  /** @throws StoreError `not_found`. */
  removeInvitation(id: string, now: number): Promise<InvitationRecord>
  /**
   * Uses an invitation up and adds the member, both or neither.
   * @throws StoreError `not_found` when it is no longer open, `exists` when the user is in the account.
   */
  acceptInvitation(id: string, member: MemberRecord): Promise<MemberRecord>

  /** All that the console has set. */
  consoleSettings(): Promise<SettingsState>
  /**
   * Makes changes together.
   * @throws StoreError `conflict` when one of them is not what it was when the change was thought of.
   */
  changeConsoleSettings(changes: readonly SettingChange[], at: number): Promise<SettingsState>

  /** Performs steps on idempotency keys, all of them in one transaction. @returns their results in their order. */
  performIdempotency(steps: readonly IdempotencyStep[]): Promise<IdempotencyResult[]>
  /** Forgets claims of a moment and before, some thousands at most. @returns their requests. */
  sweepIdempotencyKeys(expired: number): Promise<string[]>

  joinNode(node: NodeRecord): Promise<void>
  /** Looks for news; with `beatAt` it also says that the node lives. */
  pollNode(id: string, beatAt: number | null): Promise<NodeNews>
  listNodes(): Promise<NodeRecord[]>
  /** Gives back all leases of a node that leaves or died; its open holds expire and are returned. */
  removeNode(id: string, at: number): Promise<HoldRecord[]>

  /** Leases what is wanted or a fair share, if there is enough to be of use; when short, asks other nodes for their idle part. */
  lease(order: LeaseOrder): Promise<LeaseGrant>
  returnLeases(node: string, shares: readonly LeaseShare[]): Promise<void>
  /**
   * Asks all nodes for the idle parts of their leases on an account or a budget. For half a second nobody
   * leases anything of `amount` again, so that it can be taken out.
   * @returns what is free now.
   */
  recall(owner: string, amount: bigint): Promise<bigint>
  endRecall(owner: string): Promise<void>
  /** Takes more of the book into its anchor. */
  advanceAnchor(at: number): Promise<AnchorStep>
  /** How far the book was when its anchor was last advanced. */
  findAnchor(): Promise<Anchor>
  /** All rows of all accounts in the order they were written, those after a row. */
  listBookRows(after: number, limit: number): Promise<BookRow[]>
  /** Balances that do not agree with their leases and limits, or are missing. */
  listBalanceFaults(now: number): Promise<BalanceFault[]>
  /** Posts a batch: entries, receipts, balances, leases, holds and vendor state in one transaction. */
  post(node: string, batch: Batch): Promise<Posted[]>

  /** What vendors keep under ids of these hashes; one id may be known at several providers. */
  findVendorState(idHashes: readonly string[]): Promise<VendorStateRecord[]>
  /** What an account had under ids of these hashes is nobody's from then on. */
  disownVendorState(account: string, idHashes: readonly string[]): Promise<void>
  /**
   * Deletes some of what has expired, and of the oldest beyond `most` records.
   * @returns how many: as long as there are any, there may be more.
   */
  sweepVendorState(now: number, most: number): Promise<number>
}

/** The steps that change what people manage: each can be performed with its record in the audit log. */
export type AuditedStep =
  | "createAccount"
  | "updateAccount"
  | "addEntry"
  | "createCode"
  | "revokeCode"
  | "redeemCode"
  | "addPayment"
  | "settleReversal"
  | "insertKey"
  | "updateKey"
  | "rotateKey"
  | "revokeKey"
  | "addMember"
  | "changeMember"
  | "removeMember"
  | "insertInvitation"
  | "removeInvitation"
  | "acceptInvitation"
  | "changeConsoleSettings"

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
  "updateAccount",
  "addEntry",
  "listEntries",
  "listEntriesBack",
  "listStatementLines",
  "findEntries",
  "listHolds",
  "createCode",
  "findCode",
  "listCodes",
  "revokeCode",
  "redeemCode",
  "addPayment",
  "findCardPayment",
  "knowCardPayment",
  "noteReversal",
  "settleReversal",
  "debtBook",
  "findReceipt",
  "listWriteOffs",
  "insertKey",
  "updateKey",
  "rotateKey",
  "revokeKey",
  "findKey",
  "listKeys",
  "keysSince",
  "listBudgets",
  "audited",
  "appendAudit",
  "listAudit",
  "addMember",
  "findMember",
  "listMembers",
  "changeMember",
  "removeMember",
  "insertInvitation",
  "findInvitation",
  "findInvitationByToken",
  "isInvited",
  "listInvitations",
  "removeInvitation",
  "acceptInvitation",
  "consoleSettings",
  "changeConsoleSettings",
  "performIdempotency",
  "sweepIdempotencyKeys",
  "joinNode",
  "pollNode",
  "listNodes",
  "removeNode",
  "lease",
  "returnLeases",
  "recall",
  "endRecall",
  "advanceAnchor",
  "findAnchor",
  "listBookRows",
  "listBalanceFaults",
  "post",
  "findVendorState",
  "disownVendorState",
  "sweepVendorState",
] as const satisfies readonly (keyof DirectStore)[]
