/** A request that another page opens in the playground. */
export interface HandedOver {
  readonly model: string
  /** Its body as it was sent, in any of the gateway's formats for chat. */
  readonly body: unknown
}

/** In memory only: a prompt may be confidential, and longer than a browser's storage takes. */
let left: HandedOver | undefined

/** Leaves a request for the playground, to which the caller goes next. */
export function handOver(request: HandedOver): void {
  left = request
}

/** The request that was left, once. */
export function takeHandOver(): HandedOver | undefined {
  const taken = left
  left = undefined
  return taken
}
