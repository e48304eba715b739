import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import type { Usage } from "../../canon/usage.ts"
import { Meter } from "../metering/meter.ts"
import type { Plan } from "./plan.ts"
import type { StreamWriter, Report, TranscodingWriter } from "./stream-writer.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { UpstreamStream } from "./upstream-stream.ts"
import type { ResponseStream } from "./response-stream.ts"

/** Writes one of several choices through the writer that all choices share, under the index of the choice. */
export class ChoiceWriter implements StreamWriter {
  readonly isOver = false
  readonly #shared: TranscodingWriter
  readonly #choice: number

  constructor(shared: TranscodingWriter, choice: number) {
    this.#shared = shared
    this.#choice = choice
  }

  /**
   * Writes the events of the choice. The start of the response is written only once, and the usage is the sum of all
   * choices: see `SeveralStreams`.
   */
  push(frame: SseFrame | undefined, events: readonly ChatEvent[]): string {
    const choice = this.#choice
    const ours = events.flatMap((event): ChatEvent[] => {
      if (event.type === "usage" || (event.type === "start" && choice > 0)) return []
      return "choice" in event ? [{ ...event, choice }] : [event]
    })
    return this.#shared.push(frame, ours)
  }

  get isFilled(): boolean {
    return this.#shared.isFilled
  }

  setUsage(usage: Usage): void {
    this.#shared.setUsage(usage)
  }

  end(cost: bigint | undefined, report?: Report): string {
    return this.#shared.end(cost, report)
  }

  fail(error: GatewayError, requestId: string): string {
    return this.#shared.fail(error, requestId)
  }
}

/** Joins several upstream calls into one response. Each call returns one choice, which is passed on as it arrives. */
export class SeveralStreams implements ResponseStream {
  readonly plan: Plan
  readonly attempts: readonly Attempt<Plan>[]
  readonly writer: TranscodingWriter
  readonly #streams: readonly UpstreamStream[]
  readonly #unread: readonly Meter[]
  readonly #reading = new Map<UpstreamStream, Promise<readonly [UpstreamStream, string]>>()
  readonly #open: Set<UpstreamStream>
  /** The failure of one stream. It is reported after the held text of the other streams is sent. */
  #failure: unknown

  /** @param unread the counts of billed calls whose responses could not be read. */
  constructor(
    plan: Plan,
    streams: readonly UpstreamStream[],
    writer: TranscodingWriter,
    unread: readonly Meter[] = [],
  ) {
    this.plan = plan
    this.#streams = streams
    this.#unread = unread
    this.#open = new Set(streams)
    this.writer = writer
    this.attempts = streams.flatMap((stream) => stream.attempts)
  }

  get isOver(): boolean {
    return this.#open.size === 0 && !this.writer.isFilled
  }

  get isHoldSpent(): boolean {
    return this.#streams.some((stream) => stream.isHoldSpent)
  }

  get rest(): Promise<void> | undefined {
    const rests = this.#streams.flatMap(({ rest }) => rest ?? [])
    return rests.length === 0 ? undefined : Promise.all(rests).then(() => undefined)
  }

  get meter(): Meter {
    return Meter.sum([...this.#streams.map((stream) => stream.meter), ...this.#unread])
  }

  async read(): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return await this.#next()
    } catch (failure) {
      this.#failure = failure
      const held = await Promise.all([...this.#open].map((stream) => stream.release()))
      const text = held.join("")
      if (text === "") throw failure
      return text
    }
  }

  async #next(): Promise<string> {
    for (;;) {
      if (this.writer.isFilled) {
        await ownTurn()
        return this.writer.backlog.take()
      }
      if (this.#open.size === 0) return ""
      for (const stream of this.#open) {
        if (!this.#reading.has(stream)) {
          this.#reading.set(
            stream,
            stream.read().then((text) => [stream, text] as const),
          )
        }
      }
      const [stream, text] = await Promise.race(this.#reading.values())
      this.#reading.delete(stream)
      if (stream.isOver) this.#open.delete(stream)
      if (this.#open.size === 0) this.#reportUsage()
      if (text !== "") return text
    }
  }

  async drain(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.drain()))
  }

  #reportUsage(): void {
    const { usage } = this.meter
    if (usage) this.writer.setUsage(usage)
  }
}
