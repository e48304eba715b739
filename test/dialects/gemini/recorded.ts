import { readdirSync } from "node:fs"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import {
  HAS_FIXTURES,
  nameOfRecording,
  readFixture,
  recordedCalls,
} from "../../support/recordings.ts"

const ROOT = new URL("../../../../shared/fixtures/", import.meta.url)

/** One recorded call of `generateContent` or `streamGenerateContent`, of the Gemini API or of Vertex. */
export interface GeminiRecording {
  readonly id: string
  readonly status: number
  readonly isStream: boolean
  /** The client's request; undefined if only the response was recorded. */
  readonly request: JsonObject | undefined
  /** The chunks of the response. A response that is not streamed is one chunk. */
  readonly chunks: readonly JsonValue[]
  /** The text of the stream with its line breaks; undefined if the chunks were stored separately. */
  readonly text: string | undefined
}

/** Returns all recorded calls. The list is empty if the folder is absent. */
export function geminiRecordings(): GeminiRecording[] {
  if (!HAS_FIXTURES) return []
  return [...cassettes(), ...sdkReplays(), ...sdkFixtures()]
}

function cassettes(): GeminiRecording[] {
  return recordedCalls(/:(g|streamG)enerateContent/).map(({ file, request, response }) => {
    const { text, json } = response.body ?? {}
    const sent = request.body?.json
    return {
      id: nameOfRecording(file),
      status: response.status,
      isStream: request.url.includes(":stream") && response.status === 200,
      request: isJsonObject(sent) ? sent : undefined,
      chunks: text === undefined ? [json ?? null] : chunksOf(text),
      text,
    }
  })
}

interface Replay {
  readonly interactions: readonly {
    readonly request: { readonly url: string; readonly bodySegments: readonly JsonValue[] }
    readonly response: { readonly statusCode: number; readonly bodySegments?: readonly JsonValue[] }
  }[]
}

function sdkReplays(): GeminiRecording[] {
  return filesOf("js-genai").flatMap((file) => {
    const { interactions } = JSON.parse(readFixture(file)) as Replay
    return interactions.flatMap(({ request, response }, index) => {
      const chunks = response.bodySegments ?? []
      if (!isGeneration(request.url) || chunks.length === 0) return []
      const [sent] = request.bodySegments
      return {
        id: `${nameOfRecording(file)} ${index}`,
        status: response.statusCode,
        isStream: request.url.includes(":stream") && response.statusCode === 200,
        request: isJsonObject(sent) ? sent : undefined,
        chunks,
        text: undefined,
      }
    })
  })
}

function sdkFixtures(): GeminiRecording[] {
  return filesOf("vercel-ai/google").map((file) => {
    const text = readFixture(file)
    const isStream = file.endsWith(".txt")
    const chunks = isStream ? text.trim().split("\n").map(parse) : [parse(text)]
    const status = file.includes("-429-") ? 429 : 200
    return {
      id: nameOfRecording(file),
      status,
      isStream,
      request: undefined,
      chunks,
      text: undefined,
    }
  })
}

function chunksOf(text: string): JsonValue[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => parse(line.slice(5)))
}

function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}

function isGeneration(url: string): boolean {
  return /:(g|streamG)enerateContent/.test(url)
}

function filesOf(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|txt)$/.test(entry.name))
    .map(({ name }) => `${folder}/${name}`)
    .toSorted()
}
