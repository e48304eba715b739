/** One unit of a stream as it arrived. */
export interface ReceivedEvent {
  readonly event?: string
  readonly data: string
}

/** Turns bytes into frames, however the bytes are split. */
export interface FrameParser {
  /** The frames that these bytes complete; an incomplete one waits. */
  push(bytes: Uint8Array): readonly ReceivedEvent[]
  /** What the end of the stream completes. */
  end(): readonly ReceivedEvent[]
}

/** Counts the bytes that wait to become a frame. If it throws, reading ends. */
export interface FrameMemory {
  takeAnswer(bytes: number): void
  give(bytes: number): void
}
