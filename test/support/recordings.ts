import { existsSync, readFileSync } from "node:fs"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import type { Replay } from "./replaying-vendor.ts"

/** The folder with recorded traffic of real vendors, which is next to the repository. Tests also work without it. */
const ROOT = new URL("../../../shared/fixtures/", import.meta.url)

export const HAS_FIXTURES = existsSync(new URL("index.jsonl", ROOT))

/** A suffix for test names, so that a run without the recordings is noticed. */
export const WITHOUT_FIXTURES = HAS_FIXTURES ? "" : " (skipped: recordings are absent)"

/** Number of recorded calls that the tests replay if all are present. */
const RECORDINGS = 709 + 459

/** Lists of the recordings. The second list contains newer models. */
const INDEXES = ["index.jsonl", "index-2026-11.jsonl"]

/** Returns the number of recordings that the tests can replay, and the number of recordings that are present. */
export function countRecordings(): { expected: number; present: number } {
  const listed = HAS_FIXTURES ? recordedFiles() : []
  const present = listed.filter(({ file }) => existsSync(new URL(file, ROOT))).length
  return { expected: Math.max(RECORDINGS, listed.length), present }
}

export interface RecordedFile {
  readonly file: string
  /** The folder, or the format of the address. */
  readonly dialect: string
  readonly vendor?: string
  readonly status: number
  readonly url?: string
  readonly truncated_strings?: number
}

/** Returns all files of recorded calls in a list. The list is empty if the folder is absent. */
export function recordedFiles(): RecordedFile[] {
  return INDEXES.filter((index) => existsSync(new URL(index, ROOT))).flatMap((index) =>
    readFixture(index)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RecordedFile),
  )
}

/** Matches a recording of a server that only repeats the request. */
const UNREAL = /pydantic-ai-openai-compatible-test-text-response/

/** Returns the recorded calls whose address matches, without repairs. */
export function recordedCalls(address: RegExp): (RecordedFile & RecordedCall)[] {
  return recordedFiles()
    .filter(({ file, url }) => file.startsWith("recorded") && address.test(url ?? ""))
    .filter(({ file }) => !UNREAL.test(file))
    .map((listed) => ({ ...listed, ...(JSON.parse(readFixture(listed.file)) as RecordedCall) }))
}

/**
 * Returns the name of a recording: `groq/name--0` for `recorded/groq/name--0.json`, and `2026-11/openai-chat/name--0`
 * for a newer recording.
 */
export function nameOfRecording(file: string): string {
  return file.replace(/^recorded[/-]/, "").replace(/\.json$/, "")
}

export function readFixture(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8")
}

/** One recorded call of a chat completions endpoint. */
export interface Recording {
  /** The id, such as `groq/groq-llama3-8b-8192-streamed-chat--0`. */
  readonly id: string
  /** The gateway's name for the vendor. */
  readonly vendor: string
  readonly status: number
  /** The client's request. Strings that were cut in the recording are repaired. */
  readonly request: JsonObject
  readonly replay: Replay
  readonly isStream: boolean
}

/** The request for the only recording without a request: huggingface/test-tool-choice-matrix-tools-plus-output. */
const SMALLEST_REQUEST: JsonObject = {
  model: "unknown",
  messages: [{ role: "user", content: "Hello" }],
}

/** Returns all recordings of chats, for every vendor and status. The list is empty if the folder is absent. */
export function chatRecordings(): Recording[] {
  return recordedCalls(/\/chat\/completions/).map(readRecording)
}

/** Vendors of the older recordings, by the names of their folders. */
const VENDORS_OF_FOLDERS: Readonly<Record<string, string>> = {
  "anthropic-messages": "anthropic",
  "openai-chat": "openai",
  "openai-responses": "openai",
  "azure-openai": "azure",
  "bedrock-mantle": "openai-compatible",
  "gemini-generatecontent": "google",
  "bedrock-converse": "bedrock",
  "cohere-chat-v2": "cohere",
}

/**
 * Returns the gateway's name for a recording's vendor. Anthropic's address for OpenAI's format counts as a compatible
 * vendor.
 */
export function vendorOf({ dialect, vendor, url }: RecordedFile): string {
  const isCompatible = vendor === "anthropic" && url?.endsWith("/chat/completions") === true
  const isAzureChat = /azure/.test(vendor ?? dialect) && url?.includes("/chat/") === true
  if (isCompatible || isAzureChat) return "openai-compatible"
  // Doubleword uses vLLM.
  if (url?.includes("doubleword.ai") === true) return "vllm"
  return vendor ?? VENDORS_OF_FOLDERS[dialect] ?? dialect
}

/** The headers of a stream for which no headers were recorded. */
const STREAM_TYPE = { "content-type": "text/event-stream" }

/** Returns the headers of a recorded response that a gateway uses. */
export function headersOf({ status, headers, body }: RecordedCall["response"]): Replay["headers"] {
  const known = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => TELLING_HEADERS.has(name))
  const isStream = status === 200 && body?.text !== undefined
  return { ...(isStream && STREAM_TYPE), ...Object.fromEntries(known) }
}

interface RecordedBody {
  readonly json?: JsonValue
  readonly text?: string
  /** The body as base64; present for bodies that are not text. */
  readonly base64?: string
}

/** A request and its response, in the format of VCR. */
export interface RecordedCall {
  readonly request: { readonly url: string; readonly body: RecordedBody | null }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: RecordedBody | null
  }
}

/** Response headers that a gateway uses. */
const TELLING_HEADERS = new Set([
  "content-type",
  "retry-after",
  "retry-after-ms",
  "x-amzn-errortype",
])

function readRecording(recorded: RecordedFile & RecordedCall): Recording {
  const { request, response } = recorded
  const sent = request.body?.json
  const { text, json } = response.body ?? {}
  return {
    id: nameOfRecording(recorded.file),
    vendor: vendorOf(recorded),
    status: response.status,
    request: isJsonObject(sent)
      ? withoutPreferences(repaired(sent) as JsonObject)
      : SMALLEST_REQUEST,
    replay: {
      status: response.status,
      headers: headersOf(response),
      body: text ?? (json === undefined ? "" : JSON.stringify(json)),
    },
    isStream: response.status === 200 && text !== undefined,
  }
}

/**
 * Removes OpenRouter's `models` and `provider`, because the gateway reads them as its own routing preferences
 * (docs/contribute/design-notes.md#routing-preferences-and-groups).
 */
function withoutPreferences(sent: JsonObject): JsonObject {
  const { models: _, provider: __, ...body } = sent
  return body
}

const CUT = /…\[TRUNCATED \d+ chars\]$/
const BASE64 = /^(data:[^,]*;base64,)?[A-Za-z0-9+/=]+$/

/** Repairs cut base64 by shortening it, so that the beginning of an image stays valid. Cut text stays unchanged. */
function repaired(value: JsonValue): JsonValue {
  if (typeof value === "string") return repairedText(value)
  if (Array.isArray(value)) return value.map(repaired)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, repaired(member ?? null)]),
  )
}

function repairedText(text: string): string {
  if (!CUT.test(text)) return text
  const kept = text.replace(CUT, "")
  if (!BASE64.test(kept)) return text
  const start = kept.indexOf(",") + 1
  return kept.slice(0, start + Math.floor((kept.length - start) / 4) * 4)
}
