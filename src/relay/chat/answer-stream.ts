import type { EventDecoder } from "../../canon/dialect.ts"
import type { AnswerRecord } from "../metering/answer-record.ts"
import type { DrainRule } from "../request/runtime-config.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { Meter } from "../metering/meter.ts"
import type { Plan } from "./plan.ts"
import type { StreamLimits } from "./stream-limits.ts"
import type { FrameWriter, StreamWriter } from "./stream-writer.ts"

/** An answer that arrives in pieces, from one or more upstream calls. */
export interface AnswerStream<Writer extends FrameWriter = StreamWriter> {
  readonly plan: Plan
  readonly attempts: readonly Attempt<Plan>[]
  readonly writer: Writer
  /** The content delivered so far. */
  readonly meter: Meter
  /** Whether the whole answer has been passed on. */
  readonly isOver: boolean
  /**
   * Resolves when the provider has reported the usage of an answer that ended at its limits, or is not waited for any
   * longer.
   */
  readonly rest: Promise<void> | undefined
  /**
   * Returns text for the caller, metered; empty only when the answer has ended.
   * @throws GatewayError if the upstream failed, was late, broke off or sent unreadable data.
   */
  read(): Promise<string>
  /** Whether the received content costs as much as the hold, so that draining for the usage ends. */
  readonly isHoldSpent: boolean
  /** Reads the end of the stream after its last frame, so that the connection can be reused. */
  drain(): Promise<void>
}

/** The parts that read, count and pass on the frames of one upstream stream. */
export interface StreamParts<Writer extends FrameWriter = StreamWriter> {
  readonly decoder: EventDecoder
  readonly meter: Meter
  readonly writer: Writer
  /** The stream's reports of billed features other than tokens, if any may be billed. */
  readonly record?: AnswerRecord | undefined
  /** Present if the vendor does not enforce all limits of the answer. */
  readonly limits?: StreamLimits | undefined
  /** Whether the call is read on for its usage when its answer has ended at those limits. */
  readonly drain?: DrainRule
  /** Whether the received content costs as much as the hold; draining ends then. */
  readonly isHoldSpent?: () => boolean
}
