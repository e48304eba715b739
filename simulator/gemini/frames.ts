import type { JsonObject } from "../json.ts"
import type { Step, StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import { errorText, OVERLOADED } from "./errors.ts"
import {
  closingMembers,
  endingMembers,
  logprobsResult,
  usageMetadata,
  type Candidate,
  type GeminiResponse,
} from "./result.ts"

/**
 * Writes the chunks of one streamed response. Each chunk is a complete response object that contains only the new
 * parts.
 */
class ChunkWriter {
  readonly #response: GeminiResponse
  readonly #closing: JsonObject
  #written = 0

  constructor(response: GeminiResponse) {
    this.#response = response
    this.#closing = closingMembers(response)
  }

  /** Returns a chunk that continues a candidate with the given number of new `tokens`. */
  part(index: number, part: JsonObject, tokens: number, members: JsonObject = {}): string {
    this.#written += tokens
    const content = { parts: [part], role: "model" }
    return this.#chunk({ content, index, ...members }, this.#running())
  }

  text(index: number, text: string): string {
    return this.part(index, { text }, 1, logprobsResult(text, this.#response.logprobs))
  }

  /**
   * Returns the last chunk of a candidate. It contains the signature of the text, and no text
   * (docs/contribute/wire/gemini.md#f7).
   */
  ending(candidate: Candidate, index: number): string {
    const { signature } = candidate
    const part = signature === "" ? { text: "" } : { text: "", thoughtSignature: signature }
    const { usage, isVertex } = this.#response
    const ending = endingMembers(candidate, index, isVertex)
    const content = { parts: [part], role: "model" }
    return this.#chunk(
      { content, ...ending },
      usage === undefined ? undefined : usageMetadata(usage, isVertex),
    )
  }

  /** Returns the usage so far, which grows from chunk to chunk. Vertex reports it only in the last chunk (recorded). */
  #running(): JsonObject | undefined {
    const { usage, isVertex } = this.#response
    if (usage === undefined) return undefined
    if (isVertex) return { trafficType: "ON_DEMAND" }
    const isZero = usage.counted.prompt === 0
    return usageMetadata(usage, isVertex, isZero ? 0 : this.#written)
  }

  #chunk(candidate: JsonObject, usage: JsonObject | undefined): string {
    const metadata = usage === undefined ? {} : { usageMetadata: usage }
    const chunk = { candidates: [candidate], ...metadata, ...this.#closing }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
}

/** Returns the chunks of a streamed response (docs/contribute/wire/gemini.md#f9). The stream has no end marker. */
export function streamScript(response: GeminiResponse): StreamScript {
  const writer = new ChunkWriter(response)
  return {
    opening: [],
    body: bodyChunks(writer, response.candidates),
    closing: response.candidates.map((candidate, index) => writer.ending(candidate, index)),
    end: "",
    errorFrame: `data: ${errorText(OVERLOADED).replaceAll("\n", "")}\n\n`,
    brokenFrame: 'data: {"candidates": [{"content": {"par\n\n',
  }
}

/** Returns the single chunk of a stream whose prompt was blocked. */
export function blockedScript(blocked: JsonObject): StreamScript {
  const chunk = `data: ${JSON.stringify(blocked)}\n\n`
  return { opening: [chunk], body: [], closing: [], end: "", errorFrame: "", brokenFrame: "" }
}

function* bodyChunks(writer: ChunkWriter, candidates: readonly Candidate[]): Generator<string> {
  for (const [index, { thoughts, text, calls }] of candidates.entries()) {
    for (const token of eachToken(thoughts)) {
      yield writer.part(index, { text: token, thought: true }, 0)
    }
    for (const token of eachToken(text ?? "")) yield writer.text(index, token)
    for (const call of calls) yield writer.part(index, call, 1)
  }
}

/** Google ends its lines with CRLF (docs/contribute/wire/gemini.md#f9). */
export function* withCrlf(steps: Iterable<Step>): Generator<Step> {
  for (const step of steps) {
    const isText = typeof step === "string" && !step.includes("\r")
    yield isText ? step.replaceAll("\n", "\r\n") : step
  }
}

/** Converts the chunks to a JSON list, for callers that do not request events. */
export function* asList(steps: Iterable<Step>): Generator<Step> {
  let opening = "["
  for (const step of steps) {
    if (typeof step === "string" && step.startsWith("data: ")) {
      yield opening + step.slice("data: ".length).trimEnd()
      opening = ",\r\n"
    } else {
      // A JSON list cannot contain comments, so comments become white space.
      yield typeof step === "string" && step.startsWith(":") ? "\n" : step
    }
  }
  yield "]"
}
