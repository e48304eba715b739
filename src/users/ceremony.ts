/** The values that a browser's authenticator must sign. */
export interface Ceremony {
  readonly challenge: string
  /** The origin of the console in the browser. */
  readonly origin: string
  /** The domain of the passkeys. */
  readonly rpId: string
}
