import type { StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import { OVERLOADED } from "./errors.ts"
import { requestId } from "./headers.ts"
import {
  inputUsage,
  outputUsage,
  wholeUsage,
  type ResponseBlock,
  type MessageResponse,
} from "./result.ts"

const PADDING = " ".repeat(16)
const PING = 'event: ping\ndata: {"type": "ping"}\n\n'

/**
 * Returns a frame for JSON text whose last brace is missing. The frame is padded with blanks before that brace, as
 * Anthropic pads it (docs/contribute/wire/anthropic-messages.md#f14).
 */
function frame(event: string, open: string): string {
  return `event: ${event}\ndata: ${open}${PADDING.slice(open.length % 16)}}\n\n`
}

/** Returns the frames of a streamed response in Anthropic's order (docs/contribute/wire/anthropic-messages.md#f6). */
export function streamScript(response: MessageResponse): StreamScript {
  const { type, message } = OVERLOADED
  const error = { details: null, type, message }
  return {
    opening: [messageStart(response)],
    body: blockFrames(response.blocks),
    closing: [messageDelta(response)],
    end: frame("message_stop", '{"type":"message_stop"'),
    errorFrame: frame(
      "error",
      `{"type":"error","error":${JSON.stringify(error)},"request_id":"${requestId()}"`,
    ),
    // The official clients accept no other event without content.
    idleFrame: ': PROCESSING\n\nevent: ping\ndata: {"type":"ping"}\n\n',
    brokenFrame:
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  }
}

function messageStart({ id, model, usage }: MessageResponse): string {
  // Output tokens are counted at the end. The start reports only the first token.
  const begun =
    usage === undefined ? undefined : { ...usage, output: Math.min(1, usage.output), searches: 0 }
  const message = {
    model,
    id,
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(begun === undefined ? {} : { usage: wholeUsage({ ...begun, thinking: 0 }) }),
  }
  return frame("message_start", `{"type":"message_start","message":${JSON.stringify(message)}`)
}

function messageDelta({ container, stopReason, stopSequence, usage }: MessageResponse): string {
  const ran = container === null ? {} : { container }
  const stop = { stop_reason: stopReason, stop_sequence: stopSequence, stop_details: null }
  const delta = { ...ran, ...stop }
  const reported =
    usage === undefined
      ? ""
      : `,"usage":${JSON.stringify({ ...inputUsage(usage), ...outputUsage(usage) })}`
  return frame(
    "message_delta",
    `{"type":"message_delta","delta":${JSON.stringify(delta)}${reported}`,
  )
}

function* blockFrames(blocks: readonly ResponseBlock[]): Generator<string> {
  for (const [index, block] of blocks.entries()) {
    const start = JSON.stringify(startOf(block))
    yield frame(
      "content_block_start",
      `{"type":"content_block_start","index":${index},"content_block":${start}`,
    )
    if (index === 0) yield PING
    const head = `{"type":"content_block_delta","index":${index},"delta":`
    for (const delta of deltasOf(block)) yield frame("content_block_delta", head + delta)
    yield frame("content_block_stop", `{"type":"content_block_stop","index":${index}`)
  }
}

/** Returns a block as it begins. The block is empty, except for redacted thinking, which arrives complete. */
function startOf(block: ResponseBlock): object {
  switch (block.type) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" }
    case "redacted_thinking":
      return block
    case "text":
      return { type: "text", text: "" }
    case "server_tool_use":
      return { ...block, input: {} }
    case "web_search_tool_result":
      return block
    case "tool_use": {
      const { type, id, name } = block
      return { type, id, name, input: {}, caller: { type: "direct" } }
    }
  }
}

function* deltasOf(block: ResponseBlock): Generator<string> {
  switch (block.type) {
    case "thinking":
      for (const token of eachToken(block.thinking)) {
        yield `{"type":"thinking_delta","thinking":${JSON.stringify(token)}}`
      }
      yield `{"type":"signature_delta","signature":"${block.signature}"}`
      return
    case "redacted_thinking":
    case "web_search_tool_result":
      return
    case "server_tool_use": {
      const input = JSON.stringify(JSON.stringify(block.input))
      yield `{"type":"input_json_delta","partial_json":${input}}`
      return
    }
    case "text":
      for (const token of eachToken(block.text)) {
        yield `{"type":"text_delta","text":${JSON.stringify(token)}}`
      }
      return
    case "tool_use":
      yield '{"type":"input_json_delta","partial_json":""}'
      // A call without arguments has no further delta (docs/contribute/wire/anthropic-messages.md#f7).
      if (block.argumentsText === "{}") return
      for (const token of eachToken(block.argumentsText)) {
        yield `{"type":"input_json_delta","partial_json":${JSON.stringify(token)}}`
      }
  }
}
