/** The gateway's address, and a key. */
export interface Target {
  /** Without `/v1`. */
  readonly url: string
  readonly key: string
}
