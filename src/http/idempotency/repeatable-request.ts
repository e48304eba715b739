import type { GatewayError } from "../../canon/errors.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import type { EncodeBreak } from "../responses.ts"
import type { Pace } from "../incoming-body.ts"
import type { ReadBody } from "./fingerprint.ts"

/** A request with an idempotency key, and the behavior of its kind of request. */
export interface RepeatableRequest {
  readonly request: Request
  /** Owner of the key. Different owners can use the same key. */
  readonly scope: string
  /** The sender's permissions, stored with the claim for `admit`. */
  readonly rights: string
  readonly bodyLimit: number
  /** Accounts for the part of the body that is in memory. */
  readonly memory?: Reservation
  readonly pace?: Pace | undefined
  /** Performs the request. It is called once and must not throw. */
  perform(request: Request, id: string): Promise<Response>
  /**
   * Checks whether a retry may receive the response.
   * @returns additional headers for the retry.
   * @throws GatewayError
   */
  admit(claim: IdempotencyRecord, body: ReadBody): Promise<Readonly<Record<string, string>>>
  /**
   * Whether a request took effect, so that it must not be repeated.
   * @param status HTTP status of its response; absent if its process died.
   */
  isSettled(request: string, status?: number): Promise<boolean>
  /** Builds the error for a retry if its stored response was removed. */
  responseGone(request: string): GatewayError
  /**
   * Called when the last bytes of a response have been passed on, before its body is closed.
   * @param isLarge whether the caller may need a long time to read them.
   */
  readonly onAnswered?: ((isLarge: boolean) => void) | undefined
  /** Encodes the end of an interrupted event stream; if absent, in OpenAI's envelope. */
  readonly encodeBreak?: EncodeBreak | undefined
}
