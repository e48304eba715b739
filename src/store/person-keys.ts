import type { PersonTraces, RecordedRedaction } from "../accounting/redaction.ts"
import type { NewAuditRecord } from "./audit.ts"

/**
 * The key that encrypts a person's name and network address in the audit log and the ledger. Erasing the person
 * destroys this key.
 */
export interface PersonKey {
  /** A user's id, or an id that stands for an email address that belongs to no user. */
  readonly person: string
  /** The key as 256 bits in hexadecimal; null after the person was erased. */
  readonly key: string | null
}

export interface PersonKeyReads {
  /** Returns the keys of people. Unknown ids are omitted. */
  keys(people: readonly string[]): Promise<PersonKey[]>
  /** Returns the id that stands for an email address; null if the address has no id. */
  findAddress(addressHash: string): Promise<string | null>
  /** Returns the redactions of all records from which a name was removed. */
  redactions(): Promise<RecordedRedaction[]>
}

/** A person to erase. */
export interface PersonToErase extends PersonTraces {
  /** The hashes by which the keys of the person's email addresses are found. */
  readonly addressHashes: readonly string[]
  /** Time of the erasure in Unix milliseconds. */
  readonly at: number
}

export interface PersonKeyWrites {
  /** Returns the key of a user. A user without a key gets `fresh.key`. An erased user gets no new key. */
  keyOf(fresh: PersonKey): Promise<PersonKey>
  /** Returns the key of an email address. An address without a key gets `fresh`. */
  keyOfAddress(addressHash: string, fresh: PersonKey): Promise<PersonKey>
  /**
   * Destroys the keys of a person, and removes the person's memberships, invitations to the person's email addresses,
   * and the name in plain text. The audit record covers the changes to other records.
   * @throws StoreError `last_owner` if an open account would have no owner left.
   */
  erase(person: PersonToErase, audit: NewAuditRecord): Promise<void>
}
