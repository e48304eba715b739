import { GatewayError } from "../../canon/errors.ts"
import type { FrameMemory } from "../../wire/frames.ts"

/** Maximum characters that wait for the first content. A provider may repeat a long request before its response. */
const MAX_OPENING = 16 * 1024 * 1024
/** Maximum characters of an opening that does not count as memory. */
const SMALL_OPENING = 256 * 1024

/** Reserves memory for frames that wait for the first content. */
export class HeldText implements Disposable {
  readonly #memory: FrameMemory
  #taken = 0

  constructor(memory: FrameMemory) {
    this.#memory = memory
  }

  /**
   * Reserves memory for text.
   * @returns false if the text has become too long to wait, or if there is no memory for it. It is then passed on.
   */
  takes({ length }: string): boolean {
    if (length > MAX_OPENING) return false
    if (length <= SMALL_OPENING || length <= this.#taken) return true
    try {
      this.#memory.takeResponse(length - this.#taken)
    } catch (thrown) {
      if (thrown instanceof GatewayError) return false
      throw thrown
    }
    this.#taken = length
    return true
  }

  [Symbol.dispose](): void {
    if (this.#taken > 0) this.#memory.give(this.#taken)
  }
}
