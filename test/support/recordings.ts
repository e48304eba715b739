import { existsSync, readFileSync } from "node:fs"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import type { Replay } from "./replaying-vendor.ts"

/** Recorded traffic of real vendors, beside the repository; it is read and never needed. */
const ROOT = new URL("../../../shared/fixtures/", import.meta.url)

export const HAS_FIXTURES = existsSync(new URL("index.jsonl", ROOT))

/** For the names of tests, so that a run without the recordings says so. */
export const WITHOUT_FIXTURES = HAS_FIXTURES ? "" : " (skipped: ../shared/fixtures is absent)"

/** Recorded calls that the suite replays when they are all there. */
const RECORDINGS = 709

/** How many recordings belong to the suite, and how many of them are there. */
export function countRecordings(): { expected: number; present: number } {
  const listed = HAS_FIXTURES ? recordedFiles() : []
  const present = listed.filter(({ file }) => existsSync(new URL(file, ROOT))).length
  return { expected: Math.max(RECORDINGS, listed.length), present }
}

interface RecordedFile {
  readonly file: string
  readonly url?: string
}

function recordedFiles(): RecordedFile[] {
  return readFixture("index.jsonl")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordedFile)
}

export function readFixture(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8")
}

/** One recorded call of a chat completions address. */
export interface Recording {
  /** `groq/groq-llama3-8b-8192-streamed-chat--0` */
  readonly id: string
  /** The folder it is kept in: the vendor, or `openai-chat` for OpenAI itself. */
  readonly folder: string
  readonly status: number
  /** What the client sent, with strings repaired that were cut when it was gathered. */
  readonly request: JsonObject
  readonly replay: Replay
  readonly isStream: boolean
}

/** For the one that came without a request: huggingface/test-tool-choice-matrix-tools-plus-output. */
const SMALLEST_REQUEST: JsonObject = {
  model: "unknown",
  messages: [{ role: "user", content: "Hello" }],
}

/** All of them, whichever the vendor and the status. None where the folder is absent. */
export function chatRecordings(): Recording[] {
  if (!HAS_FIXTURES) return []
  return recordedFiles()
    .filter(({ file, url }) => file.startsWith("recorded/") && isChat(url))
    .map(({ file }) => readRecording(file))
}

function isChat(url: string | undefined): boolean {
  return url?.includes("/chat/completions") ?? false
}

interface RecordedBody {
  readonly json?: JsonValue
  readonly text?: string
}

interface RecordedCall {
  readonly request: { readonly body: RecordedBody | null }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: RecordedBody | null
  }
}

/** Headers that say something to a gateway. */
const TELLING_HEADERS = new Set(["content-type", "retry-after", "retry-after-ms"])

function readRecording(file: string): Recording {
  const { request, response } = JSON.parse(readFixture(file)) as RecordedCall
  const id = file.replace("recorded/", "").replace(".json", "")
  const sent = request.body?.json
  const { text, json } = response.body ?? {}
  const headers = Object.entries(response.headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => TELLING_HEADERS.has(name))
  return {
    id,
    folder: id.slice(0, id.indexOf("/")),
    status: response.status,
    request: isJsonObject(sent) ? withoutWishes(repaired(sent) as JsonObject) : SMALLEST_REQUEST,
    replay: {
      status: response.status,
      headers: Object.fromEntries(headers),
      body: text ?? (json === undefined ? "" : JSON.stringify(json)),
    },
    isStream: response.status === 200 && text !== undefined,
  }
}

/** Without what names models and providers of OpenRouter's: to the gateway these are wishes for its own (decision 58). */
function withoutWishes(sent: JsonObject): JsonObject {
  const { models: _, provider: __, ...body } = sent
  return body
}

const CUT = /…\[TRUNCATED \d+ chars\]$/
const BASE64 = /^(data:[^,]*;base64,)?[A-Za-z0-9+/=]+$/

/** Cut base64 becomes shorter base64, so that an image still has its head; cut text stays as it is. */
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
