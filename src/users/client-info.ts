/** The browser of a request. */
export interface ClientInfo {
  readonly cookie: string | null
  readonly agent: string | null
  readonly address: string | null
  /**
   * Issued to the page that started a sign-in at an issuer. No other host of the domain can set it.
   */
  readonly linkToken?: string | null
}
