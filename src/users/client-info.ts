/** The browser of a request. */
export interface ClientInfo {
  readonly cookie: string | null
  readonly agent: string | null
  readonly address: string | null
}
