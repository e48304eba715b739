import { INPUTS } from "../load/request.ts"
import { STREAMS } from "../measure/memory.ts"
import { RATES } from "./latency.ts"
import { LOADS } from "./loads.ts"
import { STEADY_CHATS, STEADY_STREAMS } from "./long-memory.ts"
import type { RaceEffort, ScenarioName } from "./plan.ts"

/** The description of a scenario. */
export interface ScenarioWords {
  readonly heading: string
  /** Describes the procedure and the quantity that is measured. */
  readonly text: string
}

/** Returns the descriptions of all scenarios. */
export function wordsFor(effort: RaceEffort): Readonly<Record<ScenarioName, ScenarioWords>> {
  const minutes = effort.memoryTime / 60_000
  const time = minutes >= 1 ? `${minutes} minutes` : `${effort.memoryTime / 1_000} seconds`
  return {
    chat: {
      heading: "Small chat",
      text:
        `This is the processor time of the gateway per chat completion. The request has two messages and about 390 ` +
        `bytes, the response 200 tokens and about 1,600 bytes. ${LOADS.chat.callers} callers send their next request ` +
        "when they have received the response.",
    },
    "chat-alone": {
      heading: "Small chat, one caller",
      text:
        "The same is measured with a single caller. Requests cannot share any work, and the gateway is idle between " +
        "its steps.",
    },
    prompt: {
      heading: "50 kB prompt",
      text: `${LOADS.prompt.callers} callers send the same chat with 50 kB of text before it.`,
    },
    streams: {
      heading: "200 streams",
      text:
        `This is the processor time per frame of ${LOADS.streams.callers} concurrent streams. Each has 100 frames that ` +
        "are 20 ms apart. The fixed cost of a stream is spread over its frames. Only the vendor's frames count.",
    },
    anthropic: {
      heading: "Anthropic to OpenAI",
      text:
        "The same streams are requested in Anthropic's dialect from a vendor with OpenAI's dialect. The bare proxy, " +
        "which does not translate, forwards OpenAI's streams.",
    },
    embeddings: {
      heading: "Embeddings",
      text:
        `This is the processor time per request of ${INPUTS} short texts. Their vectors (256 numbers each, about ` +
        `140 kB in total) come in base64, as the official clients request them. There are ${LOADS.embeddings.callers} callers.`,
    },
    latency: {
      heading: "Latency",
      text:
        `Small chats are sent in an open loop: ${RATES[0]} requests arrive per second, whether or not earlier ones were ` +
        "answered, and latency counts from the scheduled time of each request. `direct` is the vendor without " +
        `a gateway. Gateways that cannot keep up get ${RATES[1]} per second, as shown in the table.`,
    },
    idle: {
      heading: "Idle streams",
      text:
        `${STREAMS.toLocaleString("en")} streams pause after half of the response. The figure is the resident memory ` +
        "that 800 of them add to the first 200.",
    },
    upload: {
      heading: "25 MB upload",
      text:
        "A transcription request has 25 MB of audio. The figure is the highest resident memory during the request, minus " +
        "the memory at rest. The bare proxy accepts no forms.",
    },
    start: {
      heading: "Cold start",
      text:
        "This is the time from the start of the process to the first whole chat completion, with all files in the " +
        "system's cache.",
    },
    memory: {
      heading: "Memory over time",
      text:
        `This is the resident memory while each gateway receives ${STEADY_CHATS} chats and ${STEADY_STREAMS} streams a ` +
        `second for ${time}. All gateways run at the same time, which does not affect their memory.`,
    },
  }
}
