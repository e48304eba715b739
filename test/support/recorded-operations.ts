import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import type { OperationAnswer } from "../../src/canon/operation.ts"
import { HAS_FIXTURES, readFixture } from "./recordings.ts"

/** One recorded call of an operation that is no chat. */
export interface RecordedOperation {
  /** `voyage/TestVoyageAI-test-query--0` */
  readonly id: string
  readonly url: string
  readonly request: JsonObject
  readonly status: number
  readonly body: JsonValue
  readonly answer: OperationAnswer
}

interface RecordedCall {
  readonly request: { readonly url: string; readonly body: { readonly json?: JsonValue } | null }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: { readonly json?: JsonValue } | null
  }
}

/** Those whose address ends as given, whichever the vendor. None where the folder is absent. */
export function recordedAt(address: RegExp): RecordedOperation[] {
  if (!HAS_FIXTURES) return []
  return readFixture("index.jsonl")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { file: string; url?: string })
    .filter(({ file, url }) => file.startsWith("recorded/") && address.test(url ?? ""))
    .map(({ file }) => readOperation(file))
}

function readOperation(file: string): RecordedOperation {
  const { request, response } = JSON.parse(readFixture(file)) as RecordedCall
  const sent = request.body?.json
  const body = response.body?.json ?? null
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return {
    id: file.replace("recorded/", "").replace(".json", ""),
    url: request.url,
    request: isJsonObject(sent) ? sent : {},
    status: response.status,
    body,
    answer: { headers: new Headers(response.headers), bytes },
  }
}
