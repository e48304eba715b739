import type { EventDecoder } from "../../canon/dialect.ts"
import type { AnswerRecord } from "../metering/answer-record.ts"
import type { DrainRule } from "../request/runtime-config.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { Meter } from "../metering/meter.ts"
import type { Plan } from "./plan.ts"
import type { StreamLimits } from "./stream-limits.ts"
import type { FrameWriter, StreamWriter } from "./stream-writer.ts"

/** An answer that comes in pieces, however many upstream calls it takes. */
export interface AnswerStream<Writer extends FrameWriter = StreamWriter> {
  readonly plan: Plan
  readonly attempts: readonly Attempt<Plan>[]
  readonly writer: Writer
  /** The content delivered so far. */
  readonly meter: Meter
  /** Whether all of the answer has been passed on. */
  readonly isOver: boolean
  /** Resolves when the provider has reported the usage of an answer that ended at its limits, or is not waited for any longer. */
  readonly rest: Promise<void> | undefined
  /**
   * Text for the caller, metered; empty only when the answer is over.
   * @throws GatewayError when the upstream failed, was late, broke off or sent what cannot be read.
   */
  read(): Promise<string>
  /** Whether the received content costs as much as the hold, so that draining for the usage ends. */
  readonly isHoldSpent: boolean
  /** After the last word: takes the end, so that the connection can serve again. */
  drain(): Promise<void>
}

/** How the frames of one upstream stream are read, counted and passed on. */
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
