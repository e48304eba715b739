import type { FrameMemory } from "../wire/frames.ts"

/** The part of a request's memory that one of its calls uses. It can be released before the request ends. */
export class LentMemory implements FrameMemory, Disposable {
  readonly #whole: FrameMemory
  #bytes = 0
  #isOver = false

  constructor(whole: FrameMemory) {
    this.#whole = whole
  }

  /**
   * Reserves memory for a response.
   * @throws GatewayError like the request's reservation.
   */
  takeResponse(bytes: number): void {
    if (this.#isOver) return
    this.#whole.takeResponse(bytes)
    this.#bytes += bytes
  }

  give(bytes: number): void {
    if (this.#isOver) return
    this.#whole.give(bytes)
    this.#bytes -= bytes
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#whole.give(this.#bytes)
  }
}
