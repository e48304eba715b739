/** A passkey of a user. Times are Unix milliseconds. */
export interface PasskeyRecord {
  readonly id: string
  readonly user: string
  /** The authenticator's id of it, base64url. */
  readonly credential: string
  /** COSE, base64url. */
  readonly publicKey: string
  /** The authenticator's own count of signatures. Many always report 0. */
  readonly counter: number
  /** Transports that browsers can use for it: `internal`, `hybrid`, `usb`. */
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface PasskeyReads {
  /** Lists passkeys, oldest first. */
  list(user: string): Promise<PasskeyRecord[]>
  findByCredential(credential: string): Promise<PasskeyRecord | null>
}

export interface PasskeyWrites {
  /**
   * @param most maximum passkeys of a user.
   * @returns false, creating nothing, if they have the maximum, are disabled or deleted, or the credential is known.
   */
  create(passkey: PasskeyRecord, most: number): Promise<boolean>
  /** @returns whether the user had such a passkey. */
  rename(user: string, id: string, name: string): Promise<boolean>
  /** @returns whether the user had such a passkey. */
  remove(user: string, id: string): Promise<boolean>
  removeAll(user: string): Promise<void>
  /**
   * Records a signature.
   * @returns false if its counter has not grown: it was copied, or this response was used before.
   */
  use(id: string, counter: number, at: number): Promise<boolean>
}
