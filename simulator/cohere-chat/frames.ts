import type { StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import { STREAM_FAILURE } from "./errors.ts"
import { type CohereResponse, type CohereCall, logprobItem } from "./result.ts"

/** Returns the frames of a streamed response in Cohere's order (docs/contribute/wire/cohere-chat.md#f4). */
export function streamScript(response: CohereResponse): StreamScript {
  const { id, finish, usage } = response
  const message = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] }
  const delta = usage === undefined ? { finish_reason: finish } : { finish_reason: finish, usage }
  const failure = { error: STREAM_FAILURE, finish_reason: "ERROR" }
  return {
    opening: [frame("message-start", { delta: { message } }, { id })],
    body: bodyFrames(response),
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

function* bodyFrames(response: CohereResponse): Generator<string> {
  let index = 0
  if (response.thinking !== "") yield* blockFrames("thinking", response.thinking, index++, {})
  for (const token of eachToken(response.plan)) {
    yield frame("tool-plan-delta", { delta: { message: { tool_plan: token } } })
  }
  for (const [position, call] of response.calls.entries()) yield* callFrames(call, position)
  if (response.text !== null) yield* blockFrames("text", response.text, index, response)
}

function* blockFrames(
  type: "text" | "thinking",
  text: string,
  index: number,
  { citations = [], hasLogprobs = false }: Partial<CohereResponse>,
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
