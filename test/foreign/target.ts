/** The address of the gateway, and a key. */
export interface Target {
  /** Without `/v1`. */
  readonly url: string
  readonly key: string
}
