/** Maximum bytes of an incomplete frame that are held back. */
const MAX_HELD_BYTES = 256 * 1024
/** Both kinds of line endings, because some streams are forwarded as the provider sent them. */
const FRAME_ENDS = ["\n\n", "\r\n\r\n"] as const
const COMMENT = 0x3a

/**
 * Forwards an event stream in complete frames, so that an error event can follow at any point. Frames above the limit
 * are forwarded in parts.
 */
export class EventFrames {
  #held: Uint8Array<ArrayBuffer> | undefined
  #isSplit = false
  #last: Uint8Array | undefined

  /** Adds received bytes. Returns the bytes that can be sent now, if any. */
  push(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
    const all = this.#held ? new Uint8Array(Buffer.concat([this.#held, bytes])) : bytes
    const { byteLength } = all
    const complete = endOfLastFrame(all)
    const isLong = byteLength - complete > MAX_HELD_BYTES
    const passed = isLong ? all : all.subarray(0, complete)
    this.#held = isLong || complete === byteLength ? undefined : all.subarray(complete)
    if (passed.byteLength === 0) return undefined
    this.#isSplit = isLong
    if (passed[0] !== COMMENT) this.#last = passed
    return passed
  }

  /** Whether the forwarded bytes end with a complete frame. */
  get isComplete(): boolean {
    return !this.#isSplit
  }

  /** The bytes that are still held back at the end of the stream. */
  get rest(): Uint8Array<ArrayBuffer> | undefined {
    return this.#held
  }

  /** The frames that were forwarded last, as text. For a long frame, only its last part. */
  get last(): string {
    return Buffer.from(this.#last ?? []).toString()
  }
}

/** Returns the number of bytes in complete frames. */
function endOfLastFrame({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): number {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const ends = FRAME_ENDS.map((end) => {
    const at = bytes.lastIndexOf(end)
    return at === -1 ? 0 : at + end.length
  })
  return Math.max(...ends)
}
