/** A passkey of a user. Times are Unix milliseconds. */
export interface PasskeyRecord {
  readonly id: string
  readonly user: string
  /** The authenticator's id of it, base64url. */
  readonly credential: string
  /** COSE, base64url. */
  readonly publicKey: string
  /** How often it signed, as it says itself; many always say 0. */
  readonly counter: number
  /** How browsers reach it: `internal`, `hybrid`, `usb`. */
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface PasskeyReads {
  /** The oldest first. */
  list(user: string): Promise<PasskeyRecord[]>
  findByCredential(credential: string): Promise<PasskeyRecord | null>
}

export interface PasskeyWrites {
  /**
   * @param most how many a user may have.
   * @returns false, creating nothing, when they have as many, are disabled or deleted, or the credential is known.
   */
  create(passkey: PasskeyRecord, most: number): Promise<boolean>
  /** @returns whether the user had such a passkey. */
  rename(user: string, id: string, name: string): Promise<boolean>
  /** @returns whether the user had such a passkey. */
  remove(user: string, id: string): Promise<boolean>
  removeAll(user: string): Promise<void>
  /**
   * Notes that it signed.
   * @returns false when its counter has not grown: it was copied, or its answer was used already.
   */
  use(id: string, counter: number, at: number): Promise<boolean>
}
