import { compactOf, OPENAI_RESPONSES } from "../../dialects/openai-responses/index.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"

/**
 * `POST /v1/responses/compact`: the body of `/v1/responses`, answered by its text alone. `stream` in the
 * body changes nothing, since such an answer has no pieces.
 */
export const RESPONSES_COMPACT: ChatEndpoint = {
  path: "/v1/responses/compact",
  dialect: {
    ...OPENAI_RESPONSES,
    isOneWay: true,
    decodeRequest: (body) => ({ ...OPENAI_RESPONSES.decodeRequest(body), stream: false }),
    encodeResult: compactOf,
  },
}
