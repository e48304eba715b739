import {
  decodeChatModerationRequest,
  decodeModerationRequest,
} from "../../dialects/moderation/request.ts"
import { encodeModeration } from "../../dialects/moderation/result.ts"
import { type JsonOperation, jsonOperation } from "./json-operation.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"

export const MODERATIONS = moderationsAt("/v1/moderations", decodeModerationRequest)

/** The endpoint in Mistral's format for moderating conversations. */
export const CHAT_MODERATIONS = moderationsAt("/v1/chat/moderations", decodeChatModerationRequest)

function moderationsAt(
  path: OperationEndpoint["path"],
  decode: JsonOperation<ReturnType<typeof decodeModerationRequest>>["decode"],
): OperationEndpoint {
  return jsonOperation({
    path,
    purpose: { kind: "moderation" },
    decode,
    plan: ({ moderation }, call, request) => moderation.plan(call, request),
    async perform({ moderation }, { call, request, caller }) {
      const { value, headers, deployment } = await moderation.moderate(call, request, caller)
      const model = deployment.member?.name ?? request.model
      const encode = () => encodeModeration({ id: call.id, model }, value.verdicts, value.usage)
      return { encode, headers }
    },
  })
}
