import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"

/** A vendor that stores objects. Every response names a new response, item, container and file. */
export interface StateVendor extends ScriptedVendor {
  /** Number of input tokens that the next responses report. */
  inputTokens: number
  /** The error that replaces the next response. */
  rejection: { readonly status: number; readonly body: object } | undefined
}

/**
 * Starts a vendor.
 * @param name a part of the ids, so that the ids of two vendors differ.
 */
export function startStateVendor(name = "a"): StateVendor {
  let made = 0
  const vendor = startVendor((request, number) => {
    const body = vendor.bodies[number - 1] ?? {}
    const id = `${name}${++made}`
    const { rejection } = state
    if (rejection) return Response.json(rejection.body, { status: rejection.status })
    const path = new URL(request.url).pathname
    const answer = path.endsWith("/messages")
      ? message(id, state.inputTokens)
      : path.endsWith("/completions")
        ? completion(id, state.inputTokens)
        : response(id, state.inputTokens, body)
    if (body["stream"] !== true) return Response.json(answer)
    if (path.endsWith("/messages")) return streamed(messageFrames(answer))
    return streamed(responseFrames(answer, body["model"] === "slow" ? 60_000 : 0))
  })
  const state: StateVendor = Object.assign(vendor, { inputTokens: 10, rejection: undefined })
  return state
}

function response(id: string, input: number, body: Record<string, unknown>): object {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model: body["model"],
    conversation: { id: body["conversation"] ?? `conv_${id}` },
    output: [
      { type: "code_interpreter_call", id: `ci_${id}`, container_id: `cntr_${id}`, code: "1" },
      {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [
          {
            type: "output_text",
            text: "Hello",
            annotations: [
              {
                type: "container_file_citation",
                container_id: `cntr_${id}`,
                file_id: `cfile_${id}`,
                filename: "a.csv",
                start_index: 0,
                end_index: 1,
              },
            ],
          },
        ],
      },
    ],
    usage: { input_tokens: input, output_tokens: 5, total_tokens: input + 5 },
  }
}

/**
 * Yields the frames of a response.
 * @param pause the pause after the first word in milliseconds.
 */
function* responseFrames(answer: object, pause: number): Generator<string | number> {
  const { output } = answer as { output: object[] }
  const begun = { ...answer, status: "in_progress", output: [], usage: null }
  yield event({ type: "response.created", sequence_number: 0, response: begun })
  yield event({
    type: "response.output_text.delta",
    sequence_number: 1,
    item_id: "x",
    delta: "Hello",
  })
  yield pause
  for (const item of output) yield event({ type: "response.output_item.done", item })
  yield event({ type: "response.completed", sequence_number: 2, response: answer })
}

function message(id: string, input: number): object {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "claude",
    container: { id: `container_${id}`, expires_at: "2027-01-01T00:00:00Z" },
    content: [
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "srvtoolu_1",
        content: {
          type: "bash_code_execution_result",
          content: [{ type: "bash_code_execution_output", file_id: `file_${id}` }],
        },
      },
      { type: "text", text: "Hello" },
    ],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: 5 },
  }
}

function* messageFrames(answer: object): Generator<string> {
  const { content, container, usage, ...head } = answer as Record<string, unknown>
  const begun = { ...head, content: [], stop_reason: null, usage }
  yield event({ type: "message_start", message: begun })
  for (const [index, block] of (content as object[]).entries()) {
    yield event({ type: "content_block_start", index, content_block: block })
    yield event({ type: "content_block_stop", index })
  }
  const delta = { stop_reason: "end_turn", stop_sequence: null, container }
  yield event({ type: "message_delta", delta, usage })
  yield event({ type: "message_stop" })
}

function completion(id: string, input: number): object {
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1,
    model: "gpt",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: {
          role: "assistant",
          content: null,
          audio: {
            id: `audio_${id}`,
            data: "AAAA",
            transcript: "Hello",
            expires_at: 2_000_000_000,
          },
        },
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: 5, total_tokens: input + 5 },
  }
}

function event(json: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`
}
