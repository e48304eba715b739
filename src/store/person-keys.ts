import type { PersonTraces, RecordedRedaction } from "../accounting/redaction.ts"
import type { NewAuditRecord } from "./audit.ts"

/**
 * The key under which a person's name and network address are encrypted in the audit log and the ledger. Erasing the
 * person destroys it.
 */
export interface PersonKey {
  /** A user's id; for an e-mail address of nobody yet an id of its own. */
  readonly person: string
  /** 256 bits, hexadecimal; null once they are erased. */
  readonly key: string | null
}

export interface PersonKeyReads {
  /** Of the ids those that are known. */
  keys(people: readonly string[]): Promise<PersonKey[]>
  /** The id that stands for an e-mail address. */
  findAddress(addressHash: string): Promise<string | null>
  /** All records from which a name was removed. */
  redactions(): Promise<RecordedRedaction[]>
}

/** Someone to erase. */
export interface PersonToErase extends PersonTraces {
  /** The hashes under which their e-mail addresses have keys. */
  readonly addressHashes: readonly string[]
  /** Unix milliseconds. */
  readonly at: number
}

export interface PersonKeyWrites {
  /** The key of a user, which becomes `fresh.key` if there is none. An erased one stays erased. */
  keyOf(fresh: PersonKey): Promise<PersonKey>
  /** The key of an e-mail address, by its hash, which becomes `fresh` if there is none. */
  keyOfAddress(addressHash: string, fresh: PersonKey): Promise<PersonKey>
  /**
   * Destroys their keys, removes their memberships and the invitations to their addresses, and removes their name from
   * what was written in clear. The record of it vouches for what it has changed in others.
   * @throws StoreError `last_owner` when an account that is not closed would have none left.
   */
  erase(person: PersonToErase, audit: NewAuditRecord): Promise<void>
}
