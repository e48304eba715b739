/** One frame of a stream as it was received. */
export interface ReceivedEvent {
  readonly event?: string
  readonly data: string
}

/** Parses bytes to frames, regardless of chunk boundaries. */
export interface FrameParser {
  /** Returns the frames that the given bytes complete. An incomplete frame is buffered. */
  push(bytes: Uint8Array): readonly ReceivedEvent[]
  /** Returns the frames that end with the stream. */
  end(): readonly ReceivedEvent[]
}

/** Counts the buffered bytes of incomplete frames against the memory budget. If it throws, reading ends. */
export interface FrameMemory {
  takeAnswer(bytes: number): void
  give(bytes: number): void
}
