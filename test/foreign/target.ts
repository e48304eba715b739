/** Where the gateway is, and with what key. */
export interface Target {
  /** Without `/v1`. */
  readonly url: string
  readonly key: string
}
