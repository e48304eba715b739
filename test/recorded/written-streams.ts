import type { JsonObject } from "../../src/canon/json.ts"
import type { Staged } from "./replay-gateway.ts"

/** Returns a chunk of a stream that a vendor might send. */
export function chunk(fields: JsonObject = {}): JsonObject {
  const envelope = { object: "chat.completion.chunk", created: 1_700_000_000, model: "upstream" }
  return { id: "chatcmpl-written", ...envelope, ...fields }
}

/** Returns a chunk with one choice. */
export function delta(content: JsonObject, finish: string | null = null): JsonObject {
  return chunk({ choices: [{ index: 0, delta: content, finish_reason: finish }] })
}

export const ROLE = delta({ role: "assistant", content: "" })
export const HELLO = delta({ content: "Hello" })
export const WORLD = delta({ content: ", world" })
export const FINISH = delta({}, "stop")
export const USAGE: JsonObject = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
export const USAGE_CHUNK = chunk({ choices: [], usage: USAGE })

/** Returns frames as OpenAI writes them. Text among the chunks is sent unchanged. */
export function frames(...chunks: readonly (JsonObject | string)[]): string {
  return chunks
    .map((each) => (typeof each === "string" ? each : `data: ${JSON.stringify(each)}\n\n`))
    .join("")
}

export const DONE = "data: [DONE]\n\n"

/** A stream that is replayed both in one chunk and in pieces. */
export interface Written {
  readonly name: string
  readonly vendor?: string
  readonly body: string
}

/** Returns the ids of a stream: in one chunk, and with its bytes cut at random positions. */
export function idsOf(written: Written): readonly [string, string] {
  return [written.name, `${written.name} (in pieces)`]
}

export function stagedStreams(streams: readonly Written[]): Staged[] {
  const headers = { "content-type": "text/event-stream" }
  return streams.flatMap((written, index) => {
    const { vendor = "openai-compatible", body } = written
    const [whole, cut] = idsOf(written)
    const replay = { status: 200, headers, body }
    return [
      { id: whole, provider: vendor, vendor, replay },
      { id: cut, provider: vendor, vendor, replay: { ...replay, seed: 100 + index } },
    ]
  })
}
