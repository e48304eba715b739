import { readdirSync } from "node:fs"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import {
  HAS_FIXTURES,
  nameOfRecording,
  readFixture,
  recordedCalls,
  vendorOf,
} from "../../support/recordings.ts"

const FIXTURES = new URL("../../../../shared/fixtures/", import.meta.url)

/** One recorded call of a responses endpoint. */
export interface Recording {
  readonly file: string
  readonly vendor: string
  readonly status: number
  readonly request: JsonObject | undefined
  /** The JSON of a response that is not streamed, or the text of a stream. */
  readonly response: JsonObject | string | undefined
  /** Whether strings were shortened when the recording was made. */
  readonly isCut: boolean
}

/** Returns all recorded calls, of every vendor and status. Calls for compaction and counting are excluded. */
export function recordedResponses(): Recording[] {
  return recordedCalls(/\/responses(\?|$)/).map((recorded) => {
    const { file, request, response } = recorded
    return {
      file: nameOfRecording(file),
      vendor: vendorOf(recorded),
      status: recorded.status,
      request: request.body?.json as JsonObject | undefined,
      response: (response.body?.json ?? response.body?.text) as JsonObject | string | undefined,
      isCut: JSON.stringify(recorded).includes("…[TRUNCATED"),
    }
  })
}

/**
 * Matches files that were written by hand. The first is not JSON, and the deltas of the second differ from its final
 * events.
 */
const UNREAL = /parallel-tool-call-wrapper|openai-shell-container\.1/

/**
 * Returns streams from the fixtures of another client, stored as one event per line without framing. Some contain
 * several responses.
 */
export function otherStreams(): { readonly file: string; readonly wire: string }[] {
  const files = otherFixtures(".chunks.txt").filter((file) => !UNREAL.test(file))
  return files.flatMap((file) => {
    const responses: string[] = []
    for (const line of readFixture(file).trim().split("\n")) {
      if (line.includes('"type":"response.created"')) responses.push("")
      responses[responses.length - 1] += `data: ${line}\n\n`
    }
    return responses.map((wire, index) => ({ file: `${file} ${index}`, wire }))
  })
}

/** Returns responses that are not streamed from the fixtures of another client, except errors. */
export function otherResponses(): { readonly file: string; readonly body: JsonObject }[] {
  return otherFixtures(".json")
    .map((file) => ({ file, body: JSON.parse(readFixture(file)) as JsonObject }))
    .filter(({ body }) => Array.isArray(body.output))
}

const OTHER_FOLDERS = ["openai", "xai", "open-responses"].map(
  (vendor) => `vercel-ai/${vendor}/responses/`,
)

function otherFixtures(ending: string): string[] {
  if (!HAS_FIXTURES) return []
  return OTHER_FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, FIXTURES))
      .filter((name) => name.endsWith(ending))
      .map((name) => folder + name),
  )
}

/** The content of a response, read without using the dialect. */
export interface Reading {
  readonly text: string
  readonly refusal: string
  readonly reasoning: string
  readonly calls: readonly { id: unknown; name: unknown; arguments: unknown }[]
  readonly citations: number
}

export function readResponse(response: JsonObject): Reading {
  const items = list(response.output)
  const contents = items
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => list(content))
  const reasoning = items.filter(({ type }) => type === "reasoning")
  return {
    text: contents.map(({ text }) => text ?? "").join(""),
    refusal: contents.map(({ refusal }) => refusal ?? "").join(""),
    reasoning: reasoning
      .map(({ content, summary }) => paragraphs(content) || paragraphs(summary))
      .join(""),
    calls: items
      .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
      .map(({ call_id: id, name, input, arguments: written = JSON.stringify({ input }) }) => ({
        id,
        name,
        arguments: written,
      })),
    citations: contents.flatMap(({ annotations }) => list(annotations)).length,
  }
}

function paragraphs(chunks: JsonValue | undefined): string {
  return list(chunks)
    .map(({ text }) => text)
    .join("\n\n")
}

function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
