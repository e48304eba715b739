/** One frame of a stream as it was received. */
export interface ReceivedEvent {
  readonly event?: string
  readonly data: string
}

/** Thrown for a frame above the maximum length. The stream may contain valid frames after it. */
export class FrameTooLong extends Error {
  override readonly name = "FrameTooLong"
}

/** Parses bytes into frames, regardless of chunk boundaries. */
export interface FrameParser {
  /** Returns the frames that the given bytes complete. An incomplete frame is buffered. */
  push(bytes: Uint8Array): readonly ReceivedEvent[]
  /** Returns the frames that end with the stream. */
  end(): readonly ReceivedEvent[]
}

/** Counts the bytes of long frames against the memory budget. If it throws, reading ends. */
export interface FrameMemory {
  takeResponse(bytes: number): void
  give(bytes: number): void
}
