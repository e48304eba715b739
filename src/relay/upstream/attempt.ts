import type { Place } from "../../canon/linked-list.ts"
import type { Draft } from "../../canon/draft.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { DeadlineSettings } from "../../config/settings.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import { collectAnswer, takeSmall } from "../chat/collect-answer.ts"
import type { DeadlineWatch, Watched } from "../pipeline/deadline-watch.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Sending } from "../../wire/http/sending.ts"
import type { Endpoint } from "./provider-client.ts"
import type { Plan } from "../chat/plan.ts"
import type { AttemptRecord } from "../billing/receipt.ts"

const DECODER = new TextDecoder()

/** What an upstream can be late with. */
type Phase = "connect" | "firstByte" | "betweenBytes"

/** Who is called. */
export interface Target {
  readonly deployment: Deployment
  readonly endpoint: Endpoint
}

interface AttemptParts<T extends Target> {
  readonly plan: T
  readonly deadlines: DeadlineSettings
  readonly watch: DeadlineWatch
  /** The largest whole answer that is read. Bytes. */
  readonly answerBytes: number
  /** What the request holds of the process's memory. */
  readonly memory: Reservation
  /** What the pulse calls its request. */
  readonly work: number
}

/**
 * One upstream call: its fetch, its deadlines, and the one way to end it early. Dispose it when the
 * answer is over.
 */
export class Attempt<T extends Target = Plan> implements Watched, Disposable {
  readonly plan: T
  /** How the receipt tells of it; completed when it is over. */
  readonly record: Draft<AttemptRecord>
  /** By `performance.now()`. */
  readonly startedAt = performance.now()
  readonly memory: Reservation
  readonly answerBytes: number
  readonly #deadlines: DeadlineSettings
  readonly #watch: DeadlineWatch
  readonly #work: number
  #sending: Sending | undefined
  /** The latest end, whatever the phase. */
  #endsAt: number
  /** Why it ends then, where that is no failure. */
  #endReason: GatewayError | undefined
  #phase: Phase = "connect"
  #ended: GatewayError | undefined
  dueAt: number
  place: Place<Watched> | undefined = undefined

  constructor(parts: AttemptParts<T>) {
    const { connect, firstByte, whole } = parts.deadlines
    this.plan = parts.plan
    this.record = { deployment: parts.plan.deployment.id, status: 0, outcome: "ok", duration: 0 }
    this.#deadlines = parts.deadlines
    this.#watch = parts.watch
    this.answerBytes = parts.answerBytes
    this.memory = parts.memory
    this.#work = parts.work
    this.#endsAt = this.startedAt + whole
    this.dueAt = this.startedAt + Math.min(connect, firstByte, whole)
    parts.watch.pulse.turnTo(this.#work, 1)
    parts.watch.add(this)
  }

  /**
   * Takes a request that is on its way. What its answer fails with is the transport's, for `explain`; once
   * it is here, `answered` is to be told.
   */
  adopt(sending: Sending): Promise<HttpAnswer> {
    this.#sending = sending
    if (this.#ended) sending.abort()
    return sending.answer
  }

  /** Its status and headers are here. */
  answered(status: number): void {
    this.record.status = status
    this.#watch.pulse.turnTo(this.#work, 2)
    this.#phase = "firstByte"
    this.resume()
  }

  /**
   * The whole body of an answer.
   * @throws GatewayError `upstream_error`, `upstream_timeout`, `overloaded`.
   */
  async text(response: HttpAnswer): Promise<string> {
    const whole = takeSmall(response, this)
    return DECODER.decode(whole ?? (await this.#collect(response)))
  }

  /** The same as bytes. @throws GatewayError as `text` does. */
  async bytes(response: HttpAnswer): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#collect(response))
  }

  async #collect(response: HttpAnswer): Promise<Uint8Array> {
    try {
      return await collectAnswer(response, this)
    } catch (error) {
      throw this.explain(error)
    }
  }

  /** A byte came: the deadline between bytes starts again. */
  heard(): void {
    this.#watch.pulse.turnTo(this.#work, 2)
    this.#phase = "betweenBytes"
    this.resume()
  }

  /** The caller reads slowly: until the next read the upstream owes nothing. */
  pause(): void {
    this.#phase = "betweenBytes"
    this.dueAt = this.#endsAt
  }

  /** A read waits for the upstream. */
  resume(): void {
    const due =
      this.#phase === "betweenBytes"
        ? performance.now() + this.#deadlines.betweenBytes
        : this.startedAt + this.#deadlines.firstByte
    this.dueAt = Math.min(due, this.#endsAt)
  }

  /** The answer is whole: only its end is waited for. @param due until when, by `performance.now()`. */
  awaitEnd(due: number): void {
    this.dueAt = Math.min(due, this.#endsAt)
  }

  /** Who is called. */
  get provider(): string {
    return this.plan.endpoint.provider
  }

  /** A failure whose words may be the vendor's, without the operator's secrets. */
  cleaned(error: GatewayError): GatewayError {
    return this.plan.endpoint.cleaned(error)
  }

  /** Completes the record. @param outcome in words of the error table. */
  conclude(outcome: string): void {
    this.record.outcome = outcome
    this.record.duration = Math.round(performance.now() - this.startedAt)
  }

  /** Why the call was ended by us; undefined while it runs. */
  get ended(): GatewayError | undefined {
    return this.#ended
  }

  /** Ends the call in so many milliseconds, if it has not ended by then. */
  endIn(time: number, reason: GatewayError): void {
    const end = performance.now() + time
    if (end >= this.#endsAt) return
    this.#endsAt = end
    this.#endReason = reason
    this.dueAt = Math.min(this.dueAt, end)
  }

  /** Ends the call; what it was doing fails with `reason`. */
  end(reason: GatewayError): void {
    if (this.#ended) return
    this.#ended = reason
    this.#sending?.abort()
  }

  onDue(now: number): void {
    if (now >= this.#endsAt) {
      if (this.#endReason) return this.end(this.#endReason)
      return this.#late("the whole answer")
    }
    if (this.#phase === "betweenBytes") return this.#late("the next bytes")
    if (now >= this.startedAt + this.#deadlines.firstByte) {
      return this.#late("the first byte of its answer")
    }
    if (this.#sending === undefined || this.#sending.isConnected) return this.resume()
    this.end(
      new GatewayError(
        "upstream_timeout",
        `Provider '${this.provider}' cannot be reached. Try again later.`,
      ),
    )
  }

  onCut(reason: GatewayError): void {
    this.end(reason)
  }

  /** What a failure of the transport means: our own ending, or the vendor's. */
  explain(error: unknown): GatewayError {
    if (this.#ended) return this.#ended
    if (error instanceof GatewayError) return error
    return new GatewayError(
      "upstream_error",
      `The connection to provider '${this.provider}' failed. Nothing more was received. Try again.`,
      { cause: error },
    )
  }

  [Symbol.dispose](): void {
    this.#watch.remove(this)
  }

  #late(what: string): void {
    this.end(
      new GatewayError(
        "upstream_timeout",
        `Provider '${this.provider}' did not send ${what} in time. Try again, or ask the operator for longer deadlines.`,
      ),
    )
  }
}
