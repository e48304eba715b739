import type { Call } from "../request/call.ts"

/** What a chat is expected to use before its vendor has counted: four bytes of JSON are about a token. */
export function expectedTokens(call: Call): number {
  return call.isEstimate ? 0 : Math.ceil(call.bodyBytes / 4)
}
