import { describe, expect, test } from "bun:test"
import { vendorRejection, withoutOperatorIds } from "../../src/canon/vendor-error.ts"
import { threadTime } from "../support/processor-time.ts"

const UUID = "1f2e3d4c-aaaa-bbbb-cccc-0123456789ab"
const ID = "a1B2c3D4e5F6g7H8"

describe("the removal of the operator's ids from provider messages", () => {
  test.each([
    [
      `Content violates usage guidelines. Team: ${UUID}, API key ID: 99887766-1234, Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO.`,
      "Content violates usage guidelines. Team: [redacted], API key ID: [redacted], Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO.",
    ],
    [
      "OpenAIException - bad deployment_id=9f api_base=https://internal.corp.example/v1 Available Model Group Fallbacks=['gpt-5-pro']",
      "OpenAIException - bad deployment_id=[redacted] api_base=[redacted] Available Model Group Fallbacks=[redacted]",
    ],
    [`Too long (organization: ${UUID})`, "Too long (organization: [redacted])"],
    [`Too long for teams/${UUID}.`, "Too long for teams/[redacted]."],
    [`Too long for org-${ID} and proj_${ID}.`, "Too long for [redacted] and [redacted]."],
    [`{"team_id": "${UUID}"}`, '{"team_id": "[redacted]"}'],
    ["Client error for url 'http://10.0.0.5:8000/v1/x'", "Client error for url '[redacted]'"],
    ["Cannot reach http://vllm:8000/v1 now", "Cannot reach [redacted] now"],
    ["Filtered by https://acme.openai.azure.com/openai.", "Filtered by [redacted]"],
    [
      "Invalid projects/acme-1/locations/us/publishers/google/models/gemini",
      "Invalid projects/[redacted]/locations/us/publishers/google/models/gemini",
    ],
    ["Invalid arn:aws:bedrock:us-east-1:123456789012:model/x here", "Invalid [redacted] here"],
    ["Invalid a-b@acme.iam.gserviceaccount.com.", "Invalid [redacted]."],
  ])("cleans %s", (message, cleaned) => {
    expect(withoutOperatorIds(message)).toBe(cleaned)
    expect(withoutOperatorIds(cleaned)).toBe(cleaned)
  })

  test.each([
    "Cannot download https://example.com/images/1.png: 404. See https://platform.openai.com/docs.",
    "tools[0].function.parameters: project_id: Field required",
    "team: Input should be 'a', got 'team_of_experts'",
    "base_url: Field required",
    "No item with id 'msg_0123456789abcdef' or 'call_0123456789abcdef'",
    `Invalid value for metadata: ${UUID}`,
    "Unknown name 'team_members' in org-structure, sk-learn-pipeline",
    "projects/p/locations/l/cachedContents/c has expired",
  ])("does not change %s", (message) => {
    expect(withoutOperatorIds(message)).toBe(message)
  })

  test("includes all members of an error that reaches the caller", () => {
    const details = { reason: `Team: ${UUID}` }
    const error = { message: `${"x".repeat(1_990)} Team: ${UUID}`, code: "safety", details }
    const rejection = vendorRejection(400, error)
    expect(rejection.kind).toBe("rejected_by_upstream")
    expect(JSON.stringify([rejection.message, rejection.details])).not.toContain("1f2")
    expect(rejection.details.fields).toEqual({ details: { reason: "Team: [redacted]" } })
  })

  test("takes little time even for hostile messages", () => {
    const parts = [
      "team: ",
      "a-",
      "a.",
      "https://a.",
      "projects/",
      "team_id=[",
      "sk-a",
      "org-a",
      "@",
    ]
    const texts = parts.map((part) => part.repeat(4_000 / part.length))
    expect(threadTime(() => texts.forEach(withoutOperatorIds), 100)).toBeLessThan(100)
  })
})
