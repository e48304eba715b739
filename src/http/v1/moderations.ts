import { encodeModeration } from "../../dialects/moderation/result.ts"
import { decodeModerationRequest } from "../../dialects/moderation/request.ts"
import { jsonOperation } from "./json-operation.ts"

export const MODERATIONS = jsonOperation({
  path: "/v1/moderations",
  purpose: { kind: "moderation" },
  decode: decodeModerationRequest,
  plan: ({ moderation }, call, request) => moderation.plan(call, request),
  async perform({ moderation }, { call, request, caller }) {
    const { value, headers, deployment } = await moderation.moderate(call, request, caller)
    const model = deployment.member?.name ?? request.model
    const encode = () => encodeModeration({ id: call.id, model }, value.verdicts, value.usage)
    return { encode, headers }
  },
})
