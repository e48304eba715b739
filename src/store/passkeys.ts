/** A passkey of a user. Times are Unix milliseconds. */
export interface PasskeyRecord {
  readonly id: string
  readonly user: string
  /** The authenticator's id for the passkey, base64url. */
  readonly credential: string
  /** The public key in COSE format, base64url. */
  readonly publicKey: string
  /** The authenticator's count of signatures. Many authenticators always report 0. */
  readonly counter: number
  /** Transports over which browsers can reach the passkey, such as `internal`, `hybrid` and `usb`. */
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
   * Adds a passkey.
   * @param most maximum number of passkeys per user.
   * @returns false, creating nothing, if the user has the maximum number, is disabled or was deleted, or if the
   * credential is already known.
   */
  create(passkey: PasskeyRecord, most: number): Promise<boolean>
  /**
   * Renames a passkey.
   * @returns whether the user had a passkey with this id.
   */
  rename(user: string, id: string, name: string): Promise<boolean>
  /**
   * Deletes a passkey.
   * @returns whether the user had a passkey with this id.
   */
  remove(user: string, id: string): Promise<boolean>
  removeAll(user: string): Promise<void>
  /**
   * Records a signature.
   * @returns false if the counter has not increased, because the passkey was copied or this response was used before.
   */
  use(id: string, counter: number, at: number): Promise<boolean>
}
