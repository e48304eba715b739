import { chatBody, messagesBody, responsesBody, STREAM_TOKENS } from "../load/request.ts"
import type { Effort } from "../options.ts"
import type { Running, Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { costs, takeTurns } from "./blocks.ts"
import { CADENCE, type ProcessorResult, STREAM_CALLERS } from "./processor-time.ts"
import { withSubjects } from "./with-subjects.ts"

/** A caller's dialect and a vendor's dialect. */
interface Pair {
  readonly name: string
  readonly path: string
  /** The model's name in Tollgate. */
  readonly model: string
  body(model: string): string
}

/** The measured pairs. Each name contains the caller's dialect, then the vendor's. */
const PAIRS: readonly Pair[] = [
  {
    name: "anthropic-to-openai",
    path: "/v1/messages",
    model: "bench/echo",
    body: (model) => messagesBody(model, STREAM_TOKENS),
  },
  {
    name: "responses-to-chat",
    path: "/v1/responses",
    model: "bench/echo",
    body: (model) => responsesBody(model, STREAM_TOKENS),
  },
  {
    name: "chat-to-gemini",
    path: "/v1/chat/completions",
    model: "bench-gemini/echo",
    body: (model) => chatBody(model, STREAM_TOKENS, true),
  },
]

/** The pair for which the design sets a limit. */
export const MAIN_PAIR = "anthropic-to-openai"

/**
 * Measures the processor time of a frame that is translated through the canon. It is compared with the bare proxy,
 * which forwards frames of one dialect. Frames are counted at the caller.
 */
export async function measureTranscoding(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<ProcessorResult> {
  await using upstream = await startUpstream(CADENCE)
  const needed = subjects.filter(({ name }) => name === "bare" || name === "tollgate")
  return await withSubjects(needed, upstream, async (running) => {
    const blocks = await takeTurns(running.flatMap(pairsOf), {
      callers: STREAM_CALLERS,
      rounds: effort.streamRounds,
      block: effort.streamBlock,
      warmUp: effort.warmUp,
      body: ({ name, model }) => {
        const pair = PAIRS.find((one) => one.name === name)
        return pair ? pair.body(pair.model) : chatBody(model("echo"), STREAM_TOKENS, true)
      },
    })
    return { blocks, costs: costs(blocks, "frames") }
  })
}

/** Returns Tollgate once for each pair, and every other subject once. */
function pairsOf(running: Running): readonly Running[] {
  if (running.name !== "tollgate") return [running]
  return PAIRS.map(({ name, path }) => ({ ...running, name, path }))
}
