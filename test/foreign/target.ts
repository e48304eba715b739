/** The gateway's address, and a key. */
export interface Target {
  /** The address without `/v1`. */
  readonly url: string
  readonly key: string
}
