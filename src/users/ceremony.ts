/** What a browser's authenticator has to have signed. */
export interface Ceremony {
  readonly challenge: string
  /** Where the console is, as the browser sees it. */
  readonly origin: string
  /** The domain that passkeys belong to. */
  readonly rpId: string
}
