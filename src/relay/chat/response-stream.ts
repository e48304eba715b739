import type { EventDecoder } from "../../canon/dialect.ts"
import type { ResponseRecord } from "../metering/response-record.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { DrainRule } from "../request/runtime-config.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { Meter } from "../metering/meter.ts"
import type { Plan } from "./plan.ts"
import type { StreamLimits } from "./stream-limits.ts"
import type { FrameWriter, StreamWriter } from "./stream-writer.ts"

/** A response that arrives in pieces, from one or more upstream calls. */
export interface ResponseStream<Writer extends FrameWriter = StreamWriter> {
  readonly plan: Plan
  readonly attempts: readonly Attempt<Plan>[]
  readonly writer: Writer
  /** The content delivered so far. */
  readonly meter: Meter
  /** Whether the whole response has been passed on. */
  readonly isOver: boolean
  /**
   * Resolves when the provider has reported the usage of a response that the relay ended at its limits, or when the
   * relay no longer waits for the usage.
   */
  readonly rest: Promise<void> | undefined
  /**
   * Returns metered text for the caller; empty only if the response has ended.
   * @throws GatewayError if the upstream failed, timed out, broke off or sent unreadable data.
   */
  read(): Promise<string>
  /** Whether the received content costs as much as the hold. The relay then stops reading for the usage. */
  readonly isHoldSpent: boolean
  /** Reads the end of the stream after its last frame, so that the connection can be reused. */
  drain(): Promise<void>
}

/** The objects that read, count and pass on the frames of one upstream stream. */
export interface StreamParts<Writer extends FrameWriter = StreamWriter> {
  readonly decoder: EventDecoder
  readonly meter: Meter
  readonly writer: Writer
  /** Records the stream's reports of billed features other than tokens; absent if only tokens are billed. */
  readonly record?: ResponseRecord | undefined
  /** Records the ids of state that the vendor stores with the response. */
  readonly recorder?: StateRecorder | undefined
  /** The limits that the relay enforces; absent if the vendor enforces all limits of the response. */
  readonly limits?: StreamLimits | undefined
  /** Whether the relay continues to read the call for its usage after it has ended the response at the limits. */
  readonly drain?: DrainRule
  /** Returns whether the received content costs as much as the hold. The relay then stops reading for the usage. */
  readonly isHoldSpent?: () => boolean
}
