import { RESPONSE_TOKENS, chatBody, STREAM_TOKENS } from "../load/request.ts"
import type { Effort } from "../options.ts"
import type { Running, Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { type Block, type Cost, costs, takeTurns } from "./blocks.ts"
import { withSubjects } from "./with-subjects.ts"

/** Number of concurrent callers. */
export const CHAT_CALLERS = 32
/** Number of concurrent streams. */
export const STREAM_CALLERS = 50
/** Milliseconds between the frames of a stream. At this distance, the frames arrive one by one. */
export const CADENCE = 5

/** Processor time per response or frame, with every block of the measurement. */
export interface ProcessorResult {
  readonly costs: readonly Cost[]
  readonly blocks: readonly Block[]
}

/** Measures the processor time of a chat completion that is not streamed. */
export async function measureChat(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<ProcessorResult> {
  await using upstream = await startUpstream(0)
  // Without a stream, the variant `pipe` does the same as the bare proxy.
  const different = subjects.filter(({ name }) => name !== "pipe")
  return await withSubjects(different, upstream, async (running) => {
    const blocks = await takeChatTurns(running, effort)
    return { blocks, costs: costs(blocks, "responses") }
  })
}

/** Measures chat completions that are not streamed, with all subjects in turn. */
export function takeChatTurns(
  running: readonly Running[],
  effort: Effort,
): Promise<readonly Block[]> {
  return takeTurns(running, {
    callers: CHAT_CALLERS,
    rounds: effort.chatRounds,
    block: effort.chatBlock,
    warmUp: effort.warmUp,
    body: ({ model }) => chatBody(model("echo"), RESPONSE_TOKENS, false),
  })
}

/** Measures the processor time of a streamed frame. The fixed cost of a stream is spread over its frames. */
export async function measureStream(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<ProcessorResult> {
  await using upstream = await startUpstream(CADENCE)
  return await withSubjects(subjects, upstream, async (running) => {
    const blocks = await takeTurns(running, {
      callers: STREAM_CALLERS,
      rounds: effort.streamRounds,
      block: effort.streamBlock,
      warmUp: effort.warmUp,
      body: ({ model }) => chatBody(model("echo"), STREAM_TOKENS, true),
    })
    return { blocks, costs: costs(blocks, "frames") }
  })
}
