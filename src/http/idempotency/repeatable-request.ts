import type { GatewayError } from "../../canon/errors.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import type { EncodeBreak } from "../answers.ts"
import type { Pace } from "../incoming-body.ts"
import type { ReadBody } from "./fingerprint.ts"

/** A request that came with a key, and what is particular to its kind. */
export interface RepeatableRequest {
  readonly request: Request
  /** Whose key it is: the same key of someone else is another one. */
  readonly scope: string
  /** Kept with the claim, for `admit`. */
  readonly rights: string
  /** The largest body that is read, in bytes. */
  readonly bodyLimit: number
  /** Takes what of the body is kept in memory. */
  readonly memory?: Reservation
  readonly pace?: Pace | undefined
  /** Answers it in earnest, once. It must not throw. */
  perform(request: Request, id: string): Promise<Response>
  /**
   * Whether a retry may have the answer.
   * @returns headers of its own.
   * @throws GatewayError
   */
  admit(claim: IdempotencyRecord, body: ReadBody): Promise<Readonly<Record<string, string>>>
  /**
   * Whether a request did what it was to do, so that it must not be done again.
   * @param status of its answer; absent of one whose process died.
   */
  isSettled(request: string, status?: number): Promise<boolean>
  /** The error for a retry whose answer is no longer kept. */
  answerGone(request: string): GatewayError
  /** Ends a stream of events that breaks off; absent: with OpenAI's envelope. */
  readonly encodeBreak?: EncodeBreak | undefined
}
