import {
  OPENAI_RESPONSES,
  withSummaries,
  withUnlinkedOutputs,
} from "../../dialects/openai-responses/index.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"

/** `POST /v1/responses` */
export const RESPONSES: ChatEndpoint = {
  path: "/v1/responses",
  dialect: OPENAI_RESPONSES,
  bodyAt: (json) => withSummaries(withUnlinkedOutputs(json)),
}
