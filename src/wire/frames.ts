/** One unit of a stream as it came. */
export interface ReceivedEvent {
  readonly event?: string
  readonly data: string
}

/** Bytes to frames, however the bytes were cut. */
export interface FrameParser {
  /** The frames that these bytes complete; bytes that complete none wait. */
  push(bytes: Uint8Array): readonly ReceivedEvent[]
  /** What the end completes. */
  end(): readonly ReceivedEvent[]
}

/** Where bytes are counted that wait to become a frame. What it throws ends the reading. */
export interface FrameMemory {
  takeAnswer(bytes: number): void
  give(bytes: number): void
}
