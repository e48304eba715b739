/** A request that another page opens in the playground. */
export interface HandedOver {
  readonly model: string
  /** The body as it was sent, in any of the gateway's chat formats. */
  readonly body: unknown
}

/** In memory only: a prompt may be confidential, and too long for browser storage. */
let left: HandedOver | undefined

/** Stores a request for the playground, which the user opens next. */
export function handOver(request: HandedOver): void {
  left = request
}

/** Returns the stored request once. */
export function takeHandOver(): HandedOver | undefined {
  const taken = left
  left = undefined
  return taken
}
