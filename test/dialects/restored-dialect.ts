import type { ChatRequest } from "../../src/canon/chat.ts"
import type { UpstreamDialect } from "../../src/canon/dialect.ts"
import {
  type Restoration,
  RestoringDecoder,
  restoredResult,
} from "../../src/relay/fitting/restored-response.ts"

/** Returns a dialect whose responses are converted to the requested format, as in the relay. */
export function restored<T extends UpstreamDialect>(dialect: T): T {
  const restorationOf = (request: ChatRequest | undefined): Restoration => {
    const { answerTool } = request === undefined ? {} : dialect.encodeRequest(request)
    return answerTool === undefined ? {} : { answerTool }
  }
  return {
    ...dialect,
    decodeResult: (body, request) =>
      restoredResult(dialect.decodeResult(body, request), restorationOf(request)),
    decodeEvents: (request) =>
      new RestoringDecoder(dialect.decodeEvents(request), restorationOf(request)),
  }
}
