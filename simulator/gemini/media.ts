import type { JsonObject } from "../json.ts"
import type { Answered } from "../json-operation.ts"

/** A response that contains images or audio, and how the response is sent. */
export interface MediaResponse {
  readonly model: string
  readonly isStream: boolean
  readonly input: number
  readonly output: number
  /** The class in which the output is counted. */
  readonly modality: "TEXT" | "IMAGE" | "AUDIO"
}

/** Returns a complete Gemini response, or a stream with one part in each chunk. */
export function geminiMedia(parts: readonly JsonObject[], response: MediaResponse): Answered {
  const { model, isStream, input, output, modality } = response
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    candidatesTokensDetails: [{ modality, tokenCount: output }],
  }
  const ending = { finishReason: "STOP", index: 0 }
  const whole = (some: readonly JsonObject[]): object => ({
    candidates: [{ content: { role: "model", parts: [...some] }, ...ending }],
    usageMetadata,
    modelVersion: model,
  })
  if (!isStream) return { json: whole(parts) }
  const body = parts.map((part) => ({
    candidates: [{ content: { role: "model", parts: [part] }, index: 0 }],
    modelVersion: model,
  }))
  const chunks = [...body, whole([{ text: "" }])].map(
    (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
  )
  return {
    script: {
      opening: [],
      body: chunks.slice(0, -1),
      closing: chunks.slice(-1),
      end: "",
      errorFrame: "",
      brokenFrame: 'data: {"candidates": [{"content": {"par\n\n',
    },
  }
}
