import type { ChatEvent } from "../../canon/chat.ts"
import { StopSequences } from "../../canon/stop-search.ts"
import { type Counter, LengthCut } from "./length-cut.ts"
import type { OwnLimits } from "../fitting/own-limits.ts"
import { type ChoiceEvent, StopCut } from "./stop-cut.ts"

/** The objects that end the text of one choice, at a stop sequence and at a maximum length. */
interface Cuts {
  readonly stop: StopCut
  readonly length: LengthCut | undefined
}

/** Enforces limits of a streamed response that the vendor does not enforce, separately for each choice. */
export class StreamLimits {
  readonly #limits: OwnLimits
  readonly #sequences: StopSequences
  readonly #counter: Counter
  readonly #choices: number
  readonly #cuts = new Map<number, Cuts>()
  readonly #ended = new Set<number>()
  /** Whether every choice has ended, the last one by a cut, so that the caller has the whole response. */
  isOver = false

  /** @param choices the number of requested choices. */
  constructor(limits: OwnLimits, choices: number, counter: Counter) {
    this.#limits = limits
    this.#choices = choices
    this.#counter = counter
    this.#sequences = new StopSequences(limits.stop)
  }

  /** Whether tokens must be counted before the response can continue. */
  get isDue(): boolean {
    for (const { length } of this.#cuts.values()) if (length?.isDue) return true
    return false
  }

  /**
   * Applies the limits to events.
   * @returns the events that can be sent to the caller now.
   */
  push(events: readonly ChatEvent[]): ChatEvent[] {
    return events.flatMap((event) => ("choice" in event ? this.#cut(event) : [event]))
  }

  /**
   * Counts the tokens of held text.
   * @returns the events that can be sent to the caller now.
   */
  async settle(): Promise<ChatEvent[]> {
    const events: ChatEvent[] = []
    for (const [choice, { length }] of this.#cuts) {
      if (!length?.isDue) continue
      events.push(...(await length.settle(this.#counter)))
      if (length.isOver && !this.#ended.has(choice)) this.#end(choice)
    }
    return events
  }

  /** Releases all held events, because the vendor has finished. */
  flush(): ChatEvent[] {
    return [...this.#cuts.values()].flatMap(({ stop, length }) => {
      const rest = through(length, stop.flush())
      length?.flush()
      return rest
    })
  }

  #cut(event: ChoiceEvent): ChatEvent[] {
    const { stop, length } = this.#of(event.choice)
    const wasOver = stop.isOver
    const events = through(length, stop.push(event))
    if (stop.isOver && !wasOver) this.#end(event.choice)
    else if (event.type === "finish") this.#ended.add(event.choice)
    return events
  }

  #end(choice: number): void {
    this.#ended.add(choice)
    if (this.#ended.size >= this.#choices) this.isOver = true
  }

  #of(choice: number): Cuts {
    let cuts = this.#cuts.get(choice)
    if (cuts === undefined) {
      const { maxTokens } = this.#limits
      const length = maxTokens === undefined ? undefined : new LengthCut(maxTokens)
      cuts = { stop: new StopCut(this.#sequences), length }
      this.#cuts.set(choice, cuts)
    }
    return cuts
  }
}

function through(length: LengthCut | undefined, events: ChoiceEvent[]): ChoiceEvent[] {
  return length === undefined ? events : events.flatMap((event) => length.push(event))
}
