import type { ClientDialect } from "../../canon/dialect.ts"
import {
  COMPACTION_BYTES,
  compactionBody,
  compactionOf,
  compactOf,
  OPENAI_RESPONSES,
  withSummaries,
  withUnlinkedOutputs,
} from "../../dialects/openai-responses/index.ts"
import { asksFor } from "./calls.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"

const ONE_WAY: ClientDialect = {
  ...OPENAI_RESPONSES,
  isOneWay: true,
  expresses: new Set(
    [...OPENAI_RESPONSES.expresses].filter((feature) => !feature.startsWith("output.")),
  ),
  decodeRequest: (body) => ({ ...OPENAI_RESPONSES.decodeRequest(body), stream: false }),
}

/** Returns a compaction in OpenAI's own format, which any model can produce. */
const COMPACTION: ChatEndpoint = {
  path: "/v1/responses/compact",
  dialect: { ...ONE_WAY, encodeResult: compactionOf },
  bodyAt: (json) => compactionBody(withUnlinkedOutputs(json)),
  addedBytes: COMPACTION_BYTES,
}

/**
 * `POST /v1/responses/compact`: accepts the body of `/v1/responses` and returns only the text. `stream` in the body has
 * no effect, because the response has no chunks. The header `x-compact-format: openai` selects a compaction in OpenAI's
 * format.
 */
export const RESPONSES_COMPACT: ChatEndpoint = {
  path: COMPACTION.path,
  dialect: { ...ONE_WAY, encodeResult: compactOf },
  bodyAt: (json) => withSummaries(withUnlinkedOutputs(json)),
  inForm: (headers) =>
    asksFor(headers, "x-compact-format", "text", "openai") ? COMPACTION : undefined,
}
