import type { PersonTraces, RecordedRedaction } from "../accounting/redaction.ts"
import type { NewAuditRecord } from "./audit.ts"

/**
 * The key under which a person's name and network address are encrypted in the audit log and the ledger. Erasing the
 * person destroys it.
 */
export interface PersonKey {
  /** A user's id, or an id that stands for an email address without a user. */
  readonly person: string
  /** 256 bits, hexadecimal; null once they are erased. */
  readonly key: string | null
}

export interface PersonKeyReads {
  /** Returns the keys of people, without unknown ids. */
  keys(people: readonly string[]): Promise<PersonKey[]>
  /** Returns the id that stands for an email address; null if it has no id. */
  findAddress(addressHash: string): Promise<string | null>
  /** Returns all records that lost a name. */
  redactions(): Promise<RecordedRedaction[]>
}

/** A person to erase. */
export interface PersonToErase extends PersonTraces {
  /** The hashes under which their email addresses have keys. */
  readonly addressHashes: readonly string[]
  /** Unix milliseconds. */
  readonly at: number
}

export interface PersonKeyWrites {
  /** Returns the key of a user. A user without a key gets `fresh.key`; an erased user stays erased. */
  keyOf(fresh: PersonKey): Promise<PersonKey>
  /** Returns the key of an email address. An address without a key gets `fresh`. */
  keyOfAddress(addressHash: string, fresh: PersonKey): Promise<PersonKey>
  /**
   * Destroys a person's keys, and removes their memberships, the invitations to their addresses, and their name from
   * plain text. The audit record covers the changes in other records.
   * @throws StoreError `last_owner` if an open account would have no owner left.
   */
  erase(person: PersonToErase, audit: NewAuditRecord): Promise<void>
}
