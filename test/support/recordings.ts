import { existsSync, readFileSync } from "node:fs"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import type { Replay } from "./replaying-vendor.ts"

/** Recorded traffic of real vendors, in a folder next to the repository; tests also work without it. */
const ROOT = new URL("../../../shared/fixtures/", import.meta.url)

export const HAS_FIXTURES = existsSync(new URL("index.jsonl", ROOT))

/** Part of the names of tests, so that a run without the recordings shows it. */
export const WITHOUT_FIXTURES = HAS_FIXTURES ? "" : " (skipped: ../shared/fixtures is absent)"

/** Recorded calls that the suite replays when they are all there. */
const RECORDINGS = 709 + 459

/** Lists of the recordings; the second contains newer models. */
const INDEXES = ["index.jsonl", "index-2026-11.jsonl"]

/** The number of recordings in the suite, and the number of available ones. */
export function countRecordings(): { expected: number; present: number } {
  const listed = HAS_FIXTURES ? recordedFiles() : []
  const present = listed.filter(({ file }) => existsSync(new URL(file, ROOT))).length
  return { expected: Math.max(RECORDINGS, listed.length), present }
}

export interface RecordedFile {
  readonly file: string
  /** The folder, or the format of its address. */
  readonly dialect: string
  readonly vendor?: string
  readonly status: number
  readonly url?: string
  readonly truncated_strings?: number
}

/** All files of recorded calls in a list; an empty list if the folder is absent. */
export function recordedFiles(): RecordedFile[] {
  return INDEXES.filter((index) => existsSync(new URL(index, ROOT))).flatMap((index) =>
    readFixture(index)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RecordedFile),
  )
}

/** A server that echoes the request, in place of a vendor. */
const UNREAL = /pydantic-ai-openai-compatible-test-text-response/

/** Recorded calls of the addresses that match, as they were gathered. */
export function recordedCalls(address: RegExp): (RecordedFile & RecordedCall)[] {
  return recordedFiles()
    .filter(({ file, url }) => file.startsWith("recorded") && address.test(url ?? ""))
    .filter(({ file }) => !UNREAL.test(file))
    .map((listed) => ({ ...listed, ...(JSON.parse(readFixture(listed.file)) as RecordedCall) }))
}

/** `groq/name--0` of `recorded/groq/name--0.json`, `2026-11/openai-chat/name--0` of a newer one. */
export function nameOfRecording(file: string): string {
  return file.replace(/^recorded[/-]/, "").replace(/\.json$/, "")
}

export function readFixture(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8")
}

/** One recorded call of a chat completions address. */
export interface Recording {
  /** `groq/groq-llama3-8b-8192-streamed-chat--0` */
  readonly id: string
  /** The gateway's name of the vendor. */
  readonly vendor: string
  readonly status: number
  /** The client's request, with repairs of strings that were cut in the collection. */
  readonly request: JsonObject
  readonly replay: Replay
  readonly isStream: boolean
}

/** For the recording without a request: huggingface/test-tool-choice-matrix-tools-plus-output. */
const SMALLEST_REQUEST: JsonObject = {
  model: "unknown",
  messages: [{ role: "user", content: "Hello" }],
}

/** All of them, for every vendor and status. An empty list if the folder is absent. */
export function chatRecordings(): Recording[] {
  return recordedCalls(/\/chat\/completions/).map(readRecording)
}

/** Vendors of the older recordings, whose folders have other names. */
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

/** The gateway's name of a recording's vendor. Anthropic's address in OpenAI's format is a compatible one. */
export function vendorOf({ dialect, vendor, url }: RecordedFile): string {
  const isCompatible = vendor === "anthropic" && url?.endsWith("/chat/completions") === true
  const isAzureChat = /azure/.test(vendor ?? dialect) && url?.includes("/chat/") === true
  if (isCompatible || isAzureChat) return "openai-compatible"
  // Doubleword runs vLLM.
  if (url?.includes("doubleword.ai") === true) return "vllm"
  return vendor ?? VENDORS_OF_FOLDERS[dialect] ?? dialect
}

/** The headers of a stream without recorded headers. */
const STREAM_TYPE = { "content-type": "text/event-stream" }

/** Headers of a recorded answer that a gateway uses. */
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
  /** Present for bytes that are not text. */
  readonly base64?: string
}

/** A request and its result, in the format of VCR. */
export interface RecordedCall {
  readonly request: { readonly url: string; readonly body: RecordedBody | null }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: RecordedBody | null
  }
}

/** Headers that a gateway uses. */
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

/** Without OpenRouter's `models` and `provider`: the gateway reads them as preferences for its own (docs/contribute/design-notes.md#routing-preferences-and-groups). */
function withoutPreferences(sent: JsonObject): JsonObject {
  const { models: _, provider: __, ...body } = sent
  return body
}

const CUT = /…\[TRUNCATED \d+ chars\]$/
const BASE64 = /^(data:[^,]*;base64,)?[A-Za-z0-9+/=]+$/

/** Cut base64 becomes shorter base64, so that an image keeps its head; cut text stays the same. */
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
