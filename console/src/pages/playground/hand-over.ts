/** A request that another page opens in the playground. */
export interface HandedOver {
  readonly model: string
  /** The body that was sent, in any of the gateway's chat formats. */
  readonly body: unknown
}

/** Kept only in memory, because a prompt may be confidential or too long for browser storage. */
let left: HandedOver | undefined

/** Stores a request until the user opens the playground. */
export function handOver(request: HandedOver): void {
  left = request
}

/** Returns the stored request and clears it. */
export function takeHandOver(): HandedOver | undefined {
  const taken = left
  left = undefined
  return taken
}
