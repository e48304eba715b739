import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import type { OperationResponse } from "../../src/canon/operation.ts"
import { nameOfRecording, recordedCalls } from "./recordings.ts"

/** One recorded call of an operation other than chat. */
export interface RecordedOperation {
  /** The id, such as `voyage/TestVoyageAI-test-query--0`. */
  readonly id: string
  readonly url: string
  readonly request: JsonObject
  readonly status: number
  readonly body: JsonValue
  readonly response: OperationResponse
}

/** Returns the recordings of every vendor whose address matches. The list is empty if the folder is absent. */
export function recordedAt(address: RegExp): RecordedOperation[] {
  return recordedCalls(address).map(({ file, request, response }) => {
    const sent = request.body?.json
    const body = response.body?.json ?? null
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    return {
      id: nameOfRecording(file),
      url: request.url,
      request: isJsonObject(sent) ? sent : {},
      status: response.status,
      body,
      response: { headers: new Headers(response.headers), bytes },
    }
  })
}
