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
        `Processor time of the gateway per chat completion: two messages and about 390 bytes in, 200 tokens and ` +
        `about 1,600 bytes out, ${LOADS.chat.callers} callers that send the next request when they have received ` +
        "the answer.",
    },
    "chat-alone": {
      heading: "Small chat, one caller",
      text:
        "The same with a single caller: nothing is shared by several requests, and the gateway sleeps between " +
        "any two steps.",
    },
    prompt: {
      heading: "50 kB prompt",
      text: `The same chat after 50 kB of other text, ${LOADS.prompt.callers} callers.`,
    },
    streams: {
      heading: "200 streams",
      text:
        `Processor time per frame of ${LOADS.streams.callers} concurrent streams, each of 100 frames that are 20 ms ` +
        "apart. The fixed cost of a stream is spread over its frames. Only the vendor's frames count.",
    },
    anthropic: {
      heading: "Anthropic to OpenAI",
      text:
        "The same streams, requested in Anthropic's dialect from a vendor with OpenAI's. The bare proxy, " +
        "which does not translate, passes OpenAI's streams on.",
    },
    embeddings: {
      heading: "Embeddings",
      text:
        `Processor time per request of ${INPUTS} short texts, whose vectors (256 numbers each) come in base64 as ` +
        `the official clients request them: about 140 kB. ${LOADS.embeddings.callers} callers.`,
    },
    latency: {
      heading: "Latency",
      text:
        `Small chats in an open loop: ${RATES[0]} requests arrive per second, whether or not earlier ones were ` +
        "answered, and latency counts from the scheduled time of each request. `direct` is the vendor without " +
        `a gateway. Gateways that cannot keep up get ${RATES[1]} per second, as shown in the table.`,
    },
    idle: {
      heading: "Idle streams",
      text:
        `${STREAMS.toLocaleString("en")} streams that wait after half an answer: resident memory ` +
        "that 800 of them add to the first 200.",
    },
    upload: {
      heading: "25 MB upload",
      text:
        "A transcription request with 25 MB of audio: the highest resident memory during the request, minus the " +
        "memory at rest. The bare proxy accepts no forms.",
    },
    start: {
      heading: "Cold start",
      text: "From the start of the process to the first whole chat completion, files in the system's cache.",
    },
    memory: {
      heading: "Memory over time",
      text:
        `Resident memory while each gateway receives ${STEADY_CHATS} chats and ${STEADY_STREAMS} streams a second for ${time}. ` +
        "All run at the same time, which does not affect their memory.",
    },
  }
}
