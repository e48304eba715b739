import type { StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import { STREAM_FAILURE } from "./errors.ts"
import { type CohereAnswer, type CohereCall, logprobItem } from "./result.ts"

/** Returns the frames of a streamed answer in Cohere's order (docs/contribute/wire/cohere-chat.md#f4). */
export function streamScript(answer: CohereAnswer): StreamScript {
  const { id, finish, usage } = answer
  const message = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] }
  const delta = usage === undefined ? { finish_reason: finish } : { finish_reason: finish, usage }
  const failure = { error: STREAM_FAILURE, finish_reason: "ERROR" }
  return {
    opening: [frame("message-start", { delta: { message } }, { id })],
    body: bodyFrames(answer),
    closing: [frame("message-end", { delta })],
    end: "data: [DONE]\n\n",
    errorFrame: frame("message-end", { delta: failure }),
    brokenFrame: 'event: content-delta\ndata: {"type":"content-delta","index":0,"del\n\n',
  }
}

/** Returns a frame. The type is in the `event:` line and in the data. The members of `head` precede the type. */
function frame(type: string, content: object, head: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ ...head, type, ...content })}\n\n`
}

function delta(type: string, index: number, message: object): string {
  return frame(type, { index, delta: { message } })
}

function* bodyFrames(answer: CohereAnswer): Generator<string> {
  let index = 0
  if (answer.thinking !== "") yield* blockFrames("thinking", answer.thinking, index++, {})
  for (const token of eachToken(answer.plan)) {
    yield frame("tool-plan-delta", { delta: { message: { tool_plan: token } } })
  }
  for (const [position, call] of answer.calls.entries()) yield* callFrames(call, position)
  if (answer.text !== null) yield* blockFrames("text", answer.text, index, answer)
}

function* blockFrames(
  type: "text" | "thinking",
  text: string,
  index: number,
  { citations = [], hasLogprobs = false }: Partial<CohereAnswer>,
): Generator<string> {
  yield delta("content-start", index, { content: { type, [type]: "" } })
  for (const token of eachToken(text)) {
    const message = { content: { [type]: token } }
    const logprobs = hasLogprobs && { logprobs: logprobItem(token) }
    yield frame("content-delta", { index, delta: { message }, ...logprobs })
  }
  for (const [position, cited] of citations.entries()) {
    yield delta("citation-start", position, { citations: cited })
    yield frame("citation-end", { index: position })
  }
  yield frame("content-end", { index })
}

/** Yields the frames of a call. In an event about a call, `tool_calls` is an object, not a list (recorded). */
function* callFrames(call: CohereCall, index: number): Generator<string> {
  const { id, name, argumentsText } = call
  const opened = { id, type: "function", function: { name, arguments: "" } }
  yield delta("tool-call-start", index, { tool_calls: opened })
  for (const token of eachToken(argumentsText)) {
    yield delta("tool-call-delta", index, { tool_calls: { function: { arguments: token } } })
  }
  yield frame("tool-call-end", { index })
}
