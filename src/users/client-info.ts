/** The browser of a request. */
export interface ClientInfo {
  readonly cookie: string | null
  readonly agent: string | null
  readonly address: string | null
  /**
   * The token that was issued to the page on which a sign-in at an issuer was started. No other host of the domain can
   * set it.
   */
  readonly linkToken?: string | null
}
