import type { StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import { STREAM_EXCEPTION } from "./errors.ts"
import { exceptionFrame, messageFrame } from "./event-frame.ts"
import { METRICS, type ResponseBlock, type ConverseResponse } from "./result.ts"

const PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/**
 * Returns a frame for JSON text whose last brace is missing. The frame is padded with a field `p`, as by the vendor.
 */
function frame(event: string, open: string): Uint8Array {
  const padding = PADDING.slice(0, 1 + (open.length % PADDING.length))
  return messageFrame(event, `${open},"p":"${padding}"}`)
}

/**
 * Returns the frames of a streamed response in Bedrock's order (docs/contribute/wire/bedrock-converse.md#f6). The usage
 * comes last.
 */
export function streamScript({ blocks, stopReason, usage }: ConverseResponse): StreamScript {
  const reported = usage === undefined ? "" : `,"usage":${JSON.stringify(usage)}`
  const { type, message } = STREAM_EXCEPTION
  return {
    opening: [frame("messageStart", '{"role":"assistant"')],
    body: blockFrames(blocks),
    closing: [frame("messageStop", `{"stopReason":"${stopReason}"`)],
    end: frame("metadata", `{"metrics":${JSON.stringify(METRICS)}${reported}`),
    errorFrame: exceptionFrame(type, JSON.stringify({ message })),
    brokenFrame: messageFrame("contentBlockDelta", '{"contentBlockIndex":0,"del'),
    idleFrame: frame("keepAlive", '{"contentBlockIndex":0'),
  }
}

function* blockFrames(blocks: readonly ResponseBlock[]): Generator<Uint8Array> {
  for (const [index, block] of blocks.entries()) {
    const head = `{"contentBlockIndex":${index}`
    // Only calls have a frame for their start.
    if (block.kind === "call") {
      const start = JSON.stringify({ toolUse: { name: block.name, toolUseId: block.id } })
      yield frame("contentBlockStart", `${head},"start":${start}`)
    }
    for (const delta of deltasOf(block)) {
      yield frame("contentBlockDelta", `${head},"delta":${JSON.stringify(delta)}`)
    }
    yield frame("contentBlockStop", head)
  }
}

function* deltasOf(block: ResponseBlock): Generator<object> {
  switch (block.kind) {
    case "reasoning":
      for (const text of eachToken(block.text)) yield { reasoningContent: { text } }
      yield { reasoningContent: { signature: block.signature } }
      return
    case "redacted":
      yield { reasoningContent: { redactedContent: block.content } }
      return
    case "text":
      for (const text of eachToken(block.text)) yield { text }
      return
    case "call":
      yield { toolUse: { input: "" } }
      // A call without arguments has no further delta (docs/contribute/wire/bedrock-converse.md#f11).
      if (block.argumentsText === "{}") return
      for (const input of eachToken(block.argumentsText)) yield { toolUse: { input } }
  }
}
