import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../../canon/dialect.ts"
import { type JsonObject, objectAt, textAt } from "../../../canon/json.ts"
import type { OtherContent } from "../../../canon/other-content.ts"
import { parseFrame, startedTwice } from "../../shared/stream.ts"
import { decodeErrorEvent } from "../errors.ts"
import { ResponseBlocks } from "./response-blocks.ts"
import { decodeUsage } from "../usage.ts"

/**
 * Creates a decoder for one stream of Converse (docs/contribute/wire/bedrock-converse.md#f6). The stop reason and the
 * usage are in separate frames. The response is complete when both have arrived.
 */
export function decodeEvents(request: ChatRequest | undefined): EventDecoder {
  return new ConverseDecoder(new ResponseBlocks(request))
}

class ConverseDecoder implements EventDecoder {
  readonly #blocks: ResponseBlocks
  #isStarted = false
  #isAnnounced = false
  #isStopped = false
  #isMetered = false
  #finished = false

  constructor(blocks: ResponseBlocks) {
    this.#blocks = blocks
  }

  get other(): OtherContent {
    return this.#blocks.other
  }

  get finished(): boolean {
    return this.#finished
  }

  push(frame: SseFrame): ChatEvent[] {
    const { event = "", json } = frame
    if (event.startsWith("exception:") || event.startsWith("error:")) {
      return [decodeErrorEvent(frame)]
    }
    const events: ChatEvent[] = this.#isStarted ? [] : [{ type: "start" }]
    this.#isStarted = true
    this.#onPayload(event, json ?? parseFrame(frame), events)
    this.#finished = this.#isStopped && this.#isMetered
    return events
  }

  /** Ends the stream. A response with a stop reason is complete even without its usage. */
  end(): ChatEvent[] {
    if (this.#isStopped) this.#finished = true
    this.#blocks.stopAll()
    return this.#blocks.take()
  }

  #onPayload(event: string, payload: JsonObject, events: ChatEvent[]): void {
    const blocks = this.#blocks
    const index = typeof payload.contentBlockIndex === "number" ? payload.contentBlockIndex : 0
    switch (event) {
      case "messageStart":
        if (this.#isAnnounced) throw startedTwice("message")
        this.#isAnnounced = true
        return
      case "contentBlockStart":
        blocks.start(index, objectAt(payload, "start") ?? {})
        break
      case "contentBlockDelta":
        blocks.delta(index, objectAt(payload, "delta") ?? {})
        break
      case "contentBlockStop":
        blocks.stop(index)
        break
      case "messageStop":
        this.#isStopped = true
        blocks.finish(
          textAt(payload, "stopReason") ?? "",
          objectAt(payload, "additionalModelResponseFields"),
        )
        break
      case "metadata": {
        this.#isMetered = true
        const usage = decodeUsage(payload.usage)
        if (usage !== undefined) events.push({ type: "usage", usage })
        break
      }
      default:
        // Ignores events that Bedrock may add in the future.
        return
    }
    events.push(...blocks.take())
  }
}
