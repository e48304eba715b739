import { readdirSync } from "node:fs"
import { messageFrame } from "../../simulator/bedrock-converse/event-frame.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import {
  chatRecordings,
  HAS_FIXTURES,
  headersOf,
  nameOfRecording,
  readFixture,
  recordedCalls,
  vendorOf,
} from "../support/recordings.ts"

const ROOT = new URL("../../../shared/fixtures/", import.meta.url)

/** One recorded response of a chat endpoint in any dialect. */
export interface VendorResponse {
  readonly id: string
  readonly dialect: DialectId
  readonly vendor: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly isStream: boolean
  /** The body as sent by the vendor. */
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** Matches responses that are not real: the first is not JSON, and the deltas of the second differ from its end. */
const UNREAL = /parallel-tool-call-wrapper|openai-shell-container\.1/

/** Returns all recorded responses, including errors. The list is empty if the folder is absent. */
export function vendorResponses(): VendorResponse[] {
  if (!HAS_FIXTURES) return []
  const ofVendors = [...compatibleResponses(), ...cassettes()]
  return [...ofVendors, ...sdkReplays(), ...sdkStreams(), ...otherClients()]
}

function compatibleResponses(): VendorResponse[] {
  return chatRecordings().map(({ id, vendor, status, isStream, replay }) => {
    const { headers, body } = replay
    return { id, dialect: "openai-chat", vendor, status, headers, isStream, body }
  })
}

/** Matches the ends of recorded addresses, for the other dialects. */
const ADDRESSES: readonly (readonly [RegExp, DialectId])[] = [
  [/\/v1\/messages$/, "anthropic-messages"],
  [/\/responses$/, "openai-responses"],
  [/:(g|streamG)enerateContent$/, "gemini"],
  [/\/converse(-stream)?$/, "bedrock-converse"],
  [/\/v2\/chat$/, "cohere-chat"],
]

function cassettes(): VendorResponse[] {
  return recordedCalls(/^/)
    .filter(({ file }) => !UNREAL.test(file))
    .flatMap((recorded) => {
      const { response } = recorded
      const address = recorded.request.url.split("?")[0] ?? ""
      const dialect = ADDRESSES.find(([ending]) => ending.test(address))?.[1]
      if (dialect === undefined) return []
      const { text, base64, json } = response.body ?? {}
      return {
        id: nameOfRecording(recorded.file),
        dialect,
        vendor: vendorOf(recorded),
        status: response.status,
        headers: headersOf(response),
        isStream: response.status === 200 && json === undefined,
        body:
          base64 === undefined
            ? (text ?? (json === undefined ? "" : JSON.stringify(json)))
            : Uint8Array.from(Buffer.from(base64, "base64")),
      }
    })
}

interface SdkReplay {
  readonly interactions: readonly {
    readonly request: { readonly url: string }
    readonly response: {
      readonly statusCode: number
      readonly bodySegments?: readonly JsonObject[]
    }
  }[]
}

/** Returns recordings of Google's own client, in which the chunks of each response are stored separately. */
function sdkReplays(): VendorResponse[] {
  return filesIn("js-genai/", /\.json$/).flatMap((file) => {
    const { interactions } = JSON.parse(readFixture(file)) as SdkReplay
    return interactions.flatMap(({ request, response }, index) => {
      const { statusCode: status, bodySegments: chunks = [] } = response
      if (!/:(g|streamG)enerateContent/.test(request.url) || chunks.length === 0) return []
      const isStream = request.url.includes(":stream") && status === 200
      const id = `${file.replace(".json", "")} ${index}`
      return written({ id, dialect: "gemini", vendor: "google", status, isStream }, chunks)
    })
  })
}

/** Returns streams from the fixtures of Anthropic's own clients, as sent by the vendor. */
function sdkStreams(): VendorResponse[] {
  return filesIn("anthropic-sdk/", /^/).map((id) => ({
    id,
    dialect: "anthropic-messages",
    vendor: "anthropic",
    status: 200,
    headers: { "content-type": "text/event-stream" },
    isStream: true,
    body: readFixture(id),
  }))
}

/**
 * Folders with fixtures of another client. Each `*.json` file is a response. In `*.chunks.txt` files, each line is an
 * event.
 */
const OTHER_CLIENTS: readonly (readonly [string, DialectId, string])[] = [
  ["anthropic", "anthropic-messages", "anthropic"],
  ["openai/responses", "openai-responses", "openai"],
  ["xai/responses", "openai-responses", "xai"],
  ["open-responses/responses", "openai-responses", "openai-compatible"],
  ["google", "gemini", "google"],
  ["amazon-bedrock", "bedrock-converse", "bedrock"],
  ["cohere", "cohere-chat", "cohere"],
  ["openai/chat", "openai-chat", "openai"],
  ["openai-compatible/chat", "openai-chat", "openai-compatible"],
  ["groq", "openai-chat", "groq"],
  ["mistral", "openai-chat", "mistral"],
  ["xai", "openai-chat", "xai"],
  ["deepseek/chat", "openai-chat", "deepseek"],
  ["alibaba", "openai-chat", "alibaba"],
  ["moonshotai", "openai-chat", "moonshot"],
  ["perplexity", "openai-chat", "perplexity"],
]

function otherClients(): VendorResponse[] {
  return OTHER_CLIENTS.flatMap(([folder, dialect, vendor]) => {
    const known = { dialect, vendor, status: 200 }
    const whole = filesIn(`vercel-ai/${folder}/`, /\.json$/).flatMap((id) => {
      const body = JSON.parse(readFixture(id)) as JsonObject
      return isResponse(body) ? [written({ ...known, id, isStream: false }, [body])] : []
    })
    const streams = filesIn(`vercel-ai/${folder}/`, /\.chunks\.txt$/).flatMap((file) =>
      responsesOf(readFixture(file)).map((events, index) =>
        written({ ...known, id: `${file} ${index}`, isStream: true }, events),
      ),
    )
    return [...whole, ...streams]
  })
}

/** Whether a file is a response. Other files contain embeddings, transcripts or errors. */
function isResponse(body: JsonObject): boolean {
  const { choices, content, output, candidates, message } = body
  const isBedrock = isJsonObject(output) && isJsonObject(output.message)
  const isList = [choices, content, output, candidates].some((list) => Array.isArray(list))
  return isList || isBedrock || isJsonObject(message)
}

/** Returns the lines of each response. Some files contain the responses of several turns. */
function responsesOf(lines: string): JsonObject[][] {
  const responses: JsonObject[][] = [[]]
  let isOver = false
  for (const line of lines.split("\n").filter((each) => each.trim() !== "")) {
    const event = JSON.parse(line) as JsonObject
    if (isOver && FIRST_WORDS.has(String(event.type))) responses.push([])
    isOver = LAST_WORDS.has(String(event.type))
    responses.at(-1)?.push(event)
  }
  return responses
}

const FIRST_WORDS = new Set(["message_start", "response.created"])
const LAST_WORDS = new Set(["message_stop", "response.completed", "response.incomplete"])

/** Returns the chunks of a response as its vendor sends them. */
function written(
  response: Omit<VendorResponse, "headers" | "body">,
  chunks: readonly JsonObject[],
): VendorResponse {
  const { dialect, isStream } = response
  if (!isStream) {
    const headers = { "content-type": "application/json" }
    return { ...response, headers, body: JSON.stringify(chunks[0]) }
  }
  if (dialect === "bedrock-converse") {
    const headers = { "content-type": "application/vnd.amazon.eventstream" }
    return { ...response, headers, body: Uint8Array.from(Buffer.concat(chunks.map(binaryFrame))) }
  }
  const headers = { "content-type": "text/event-stream" }
  return { ...response, headers, body: chunks.map((chunk) => FRAMES[dialect](chunk)).join("") }
}

/** Returns a binary frame for a line such as `{"contentBlockDelta": {...}}`. */
function binaryFrame(line: JsonObject): Uint8Array {
  const [[event, payload] = ["", {}]] = Object.entries(line)
  return messageFrame(event, JSON.stringify(payload))
}

const plainFrame = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`
const namedFrame = (chunk: JsonObject): string =>
  `event: ${String(chunk.type)}\n${plainFrame(chunk)}`

const FRAMES: Readonly<Record<DialectId, (chunk: JsonObject) => string>> = {
  "openai-chat": plainFrame,
  "openai-responses": namedFrame,
  "anthropic-messages": namedFrame,
  "cohere-chat": namedFrame,
  gemini: (chunk) => plainFrame(chunk).replaceAll("\n", "\r\n"),
  "bedrock-converse": plainFrame,
}

function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => folder + entry.name)
    .filter((file) => name.test(file) && !UNREAL.test(file))
    .toSorted()
}
