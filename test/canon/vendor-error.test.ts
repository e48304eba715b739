import { describe, expect, test } from "bun:test"
import { PROVIDER_ERRORS } from "../../src/canon/provider-errors/index.ts"
import { vendorRejection } from "../../src/canon/vendor-error.ts"
import { failedGeneration } from "../../src/dialects/shared/finish.ts"
import { Health } from "../../src/routing/health.ts"
import { threadTime } from "../support/processor-time.ts"

/** Texts that callers can put into a request and that providers quote in errors. */
const QUOTED: readonly string[] = [
  "Invalid value: 'Incorrect API key provided'. Supported values are: 'user'.",
  "Invalid value: 'Account acme is suspended'. Supported values are: 'user'.",
  "messages.0.role: Input should be 'user', got 'Budget has been exceeded!'",
  "Unknown parameter: 'your credit balance is too low'.",
  "Unrecognized tool 'Your organization must be verified to use it'",
  "Failed to parse: model not exist",
  "Invalid value: \"your account has no credits\". Supported values are: 'user'.",
  "Input should be 'user', got `this subscription`",
  'litellm.BadRequestError: {"error":{"message":"Unknown value: \'your plan\'"}}',
  `Cannot parse ${"word ".repeat(60)} your plan`,
]

describe("the table of known vendor errors", () => {
  test.each(QUOTED)("does not match words that a request could contain: %s", (message) => {
    for (const status of [400, 422]) {
      const { kind, details } = vendorRejection(status, { message, code: "invalid_value" })
      expect([kind, details.providerError]).toEqual(["rejected_by_upstream", "request"])
    }
  })

  test("attributes an error about a parameter to the request", () => {
    const error = { message: "The file is not in your account.", parameter: "file_id" }
    expect(vendorRejection(400, error).details.providerError).toBe("request")
  })

  test("has a source and a pattern for each rule", () => {
    for (const { source, codes, message } of PROVIDER_ERRORS) {
      expect(source).not.toBe("")
      expect(codes ?? message).toBeDefined()
      expect(codes ?? []).toEqual((codes ?? []).map((code) => code.toLowerCase()))
      if (message) expect(message.source).toStartWith("^")
    }
  })

  test("treats an unknown model in a field other than `model` as the caller's mistake", () => {
    const error = {
      message: "No such model.",
      code: "model_not_found",
      parameter: "tools[0].model",
    }
    expect(vendorRejection(400, error).kind).toBe("rejected_by_upstream")
    expect(vendorRejection(400, { ...error, parameter: "model" }).details.providerError).toBe(
      "model",
    )
  })

  test.each([
    [
      {
        message: "Allocated quota exceeded, please increase your quota limit.",
        code: "insufficient_quota",
      },
      "capacity",
    ],
    [{ message: "You exceeded your current quota.", code: "insufficient_quota" }, "account"],
    [{ message: "You exceeded your current quota.", type: "RESOURCE_EXHAUSTED" }, "capacity"],
  ] as const)("distinguishes a rate limit from an account without money (%#)", (error, kind) => {
    expect(vendorRejection(429, error).details.providerError).toBe(kind)
  })

  test.each([
    [{ code: "context_length_exceeded" }, "context_length"],
    [{ message: "prompt is too long: 210000 tokens > 200000 maximum" }, "context_length"],
    [
      { message: "request (2009 tokens) exceeds the available context size (512 tokens)" },
      "context_length",
    ],
    [{ message: "This model's maximum context length is 4096 tokens." }, "context_length"],
    [{ code: "content_filter" }, "content_filter"],
    [{ code: "content_policy_violation" }, "content_filter"],
  ] as const)("recognizes the reason for a rejected request (%#)", (error, kind) => {
    const rejection = vendorRejection(400, error)
    expect([rejection.kind, rejection.status]).toEqual(["rejected_by_upstream", 400])
    expect(rejection.details.providerError).toBe(kind)
  })

  test.each([
    [{ message: "Too many tokens per day.", code: "ThrottlingException" }, "capacity"],
    [{ message: "Operation not allowed for account 123456789012." }, "account"],
    [{ message: "You've hit your monthly spend limit." }, "account"],
    [{ message: "Paid balance is required for this model." }, "account"],
    [{ message: "用户已被封禁" }, "account"],
    [
      { message: "You don't have access to this model or the model name is invalid." },
      "permission",
    ],
    [
      { message: "insufficient permissions: you cannot access inference in organization acme" },
      "permission",
    ],
    [{ message: "The model is gone.", code: "ServiceModelDeprecated" }, "model"],
    [{ message: "当前分组 default 下对于模型 gpt-5 无可用渠道" }, "model"],
    [{ message: "Model gpt-5 is not enabled for project proj_1." }, "forbidden"],
    [{ message: "Organization acme (free tier) cannot use this model." }, "forbidden"],
    [
      { message: "The AWS Marketplace subscription of account 123456789012 is not active." },
      "forbidden",
    ],
  ] as const)("recognizes the operator's problem in a status 400 (%#)", (error, kind) => {
    expect(vendorRejection(400, error).details.providerError).toBe(kind)
  })

  test("matches a long message quickly", () => {
    const message = `${"a".repeat(100_000)} requires moderation on`
    expect(threadTime(() => vendorRejection(400, { message }), 500)).toBeLessThan(500)
  })
})

/** Errors that a single caller's request causes: status, error and subject. */
const PROVOKED = [
  [
    400,
    { message: "Your organization must be verified to generate reasoning summaries." },
    "allowance",
  ],
  [403, { message: "Your organization must be verified to generate images." }, "allowance"],
  [
    413,
    {
      message: "Request too large for model `m` in organization `org_1`: Limit 6000",
      code: "rate_limit_exceeded",
    },
    "allowance",
  ],
  [
    429,
    { message: "Request too large for m in organization org-1", code: "rate_limit_exceeded" },
    "allowance",
  ],
  [429, { message: "Extra usage is required for long context requests." }, "allowance"],
  [402, { message: "This request requires more credits, or fewer max_tokens." }, "allowance"],
  [402, { message: "Prompt tokens limit exceeded: 50000 > 30000." }, "allowance"],
  [402, { message: "Free users cannot use library voices via the API." }, "allowance"],
  [401, { message: "This request exceeds your quota of 10000." }, "allowance"],
  [404, { message: "No endpoints found that support image input." }, "allowance"],
  [
    403,
    { message: "Project `p` does not have access to model `x`", parameter: "tools[0].model" },
    "forbidden",
  ],
  [403, { message: "Blocked." }, "forbidden"],
  [403, {}, "forbidden"],
  [424, { message: "Error retrieving tool list", type: "external_connector_error" }, "request"],
  [409, { message: "Another process", code: "conversation_locked" }, "request"],
  [
    403,
    { message: "You do not have permission to access the File a or it may not exist." },
    "request",
  ],
  [403, { message: "CachedContent not found (or permission denied)" }, "request"],
  [404, { message: "A voice was not found.", code: "voice_not_found" }, "request"],
  [200, { message: "input new_sensitive", code: "1026" }, "content_filter"],
] as const

describe("a vendor error that one caller causes", () => {
  test.each(PROVOKED)("never counts as an account error (%#)", (status, error, about) => {
    const { kind, message, details } = vendorRejection(status, error)
    expect(details.providerError).toBe(about)
    const isRequest = about === "request" || about === "content_filter"
    expect(kind).toBe(isRequest ? "rejected_by_upstream" : "upstream_error")
    if (!isRequest) expect(message).not.toMatch(/org|credits|quota|Free users/)
  })

  test.each(PROVOKED)(
    "keeps the deployment and the account usable for others (%#)",
    (status, error) => {
      const health = new Health()
      health.failed("up/m", vendorRejection(status, error), status)
      expect(health.isHealthy("up/m")).toBe(true)
      expect(health.isHealthy("up/other")).toBe(true)
    },
  )
})

test.each(["MALFORMED_FUNCTION_CALL", "MISSING_THOUGHT_SIGNATURE", "malformed_tool_use"])(
  "a generation that ended with %s keeps its deployment available to other callers",
  (word) => {
    const health = new Health()
    for (let count = 0; count < 5; count++) health.failed("up/m", failedGeneration(word), 200)
    expect(health.isHealthy("up/m")).toBe(true)
    for (let count = 0; count < 5; count++) health.failed("up/m", failedGeneration("error"), 200)
    expect(health.isHealthy("up/m")).toBe(false)
  },
)

describe("a vendor error after a successful status", () => {
  test.each([
    [{ code: "402", message: "x" }, "upstream_error", "account"],
    [{ code: "429", message: "x" }, "upstream_overloaded", "capacity"],
    [{ type: "overloaded_error", message: "x" }, "upstream_overloaded", "capacity"],
    [{ type: "invalid_request_error", message: "x" }, "rejected_by_upstream", "request"],
    [{ type: "server_error", message: "x" }, "upstream_error", "failure"],
    [{ status: 504, message: "x" }, "upstream_timeout", "timeout"],
    [{}, "upstream_error", "failure"],
  ] as const)("gets its error kind from the status in its body (%#)", (error, kind, about) => {
    const failure = vendorRejection(200, error)
    expect([failure.kind, failure.details.providerError]).toEqual([kind, about])
  })

  test.each([
    "invalid api token abc",
    "Request not allowed",
    "该令牌额度已用尽",
    "您的账户已被锁定",
    "the disk is full",
  ])("hides the message of a failure that the request did not cause: %s", (message) => {
    expect(vendorRejection(200, { message }).message).not.toContain(message)
  })
})

/** Documented errors about the operator's account: status, error and subject. */
const ACCOUNT_ERRORS = [
  [400, { message: "API access is blocked: x", code: "blocked_api_access" }, "account"],
  [400, { message: "This organization has been disabled." }, "account"],
  [
    400,
    { message: "You have reached your specified workspace API usage limits. You will" },
    "account",
  ],
  [
    400,
    { message: "Gemini API free tier is not available in your country. Please enable" },
    "account",
  ],
  [400, { message: "Project `x` is not allowed to use Publisher Model" }, "permission"],
  [400, { message: "The model requires terms", code: "model_terms_required" }, "permission"],
  [400, { message: "Operation not allowed", code: "ValidationException" }, "account"],
  [
    400,
    { message: "Access to Anthropic models is not allowed from unsupported countries" },
    "account",
  ],
  [400, { message: "Access denied. This Model is marked by provider as Legacy and" }, "permission"],
  [400, { message: "Model access denied", code: "Model.AccessDenied" }, "permission"],
  [400, { message: "The requested model x is deprecated", code: "ModelDeprecated" }, "model"],
  [200, { message: "rate limit", code: "1002" }, "capacity"],
  [200, { message: "login fail", code: "1004" }, "credential"],
  [200, { message: "usage limit exceeded, 5-hour limit", code: "2056" }, "account"],
  [403, { message: "Your newly created team t doesn't have any credits yet." }, "account"],
  [403, { message: "not enough balance", code: "NOT_ENOUGH_BALANCE" }, "account"],
  [403, { message: "Sorry, your account balance is insufficient", code: "30001" }, "account"],
  [403, { message: "Your API key was reported as leaked." }, "credential"],
  [403, { message: "User suspended" }, "account"],
  [403, { message: "The free tier", code: "AllocationQuota.FreeTierOnly" }, "permission"],
  [404, { message: "Your account has not activated", code: "ModelNotOpen" }, "permission"],
  [
    409,
    { message: "The subscription is disabled", code: "ReadOnlyDisabledSubscription" },
    "account",
  ],
  [400, { message: "You have reached your pre-paid credits." }, "forbidden"],
  [400, { message: "Workspace w has hit its budget policy" }, "forbidden"],
  [400, { message: "Billing account b for project is not found" }, "forbidden"],
  [422, { message: "Your account a must complete a verification" }, "forbidden"],
  [400, { message: "您的账户已被锁定" }, "forbidden"],
  [200, { message: "Your account has a problem", type: "invalid_request_error" }, "forbidden"],
  [400, { message: "You've reached your usage limit." }, "forbidden"],
  [400, { message: "You\u2019ve exceeded your monthly quota." }, "forbidden"],
  [400, { message: "Imagen API is only accessible to billed users at this time." }, "permission"],
  [400, { message: "You're out of extra usage. Add more at the settings and go on." }, "account"],
  [400, { message: "Third-party apps now draw from your extra usage, not your plan." }, "account"],
  [400, { message: "This credential is only authorized for use with Claude Code." }, "credential"],
  [403, { message: "This credential is only authorized for use with Claude Code." }, "credential"],
  [
    400,
    { message: "The long context beta is not yet available for this subscription." },
    "allowance",
  ],
  [
    400,
    { message: "Previous response cannot be used for this organization due to Zero Data." },
    "allowance",
  ],
  [400, { message: "`service_tier` `auto` is not available for this org. You can" }, "allowance"],
  [400, { message: "The requested model is not supported.", code: "model_not_supported" }, "model"],
  [400, { message: "The requested model 'a/b' is not supported by any provider" }, "model"],
  [
    400,
    { message: "litellm.BadRequestError: You passed in model=m. There are no healthy deployments" },
    "model",
  ],
  [
    400,
    {
      message:
        'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}. Received Model Group=m',
    },
    "account",
  ],
  [400, { message: "Unknown Model, please check the model code.", code: "1211" }, "model"],
  [400, { message: "You do not have permission to access m", code: "1220" }, "permission"],
  [400, { message: "Unavailable model: m", code: "unavailable_model" }, "model"],
  [400, { message: "Unknown model: m", code: "unknown_model" }, "model"],
  [400, { message: "Model does not exist.", code: "20012" }, "model"],
  [400, { message: "Please enable billing on project p", type: "FAILED_PRECONDITION" }, "account"],
  [
    400,
    { message: "Access to this model is not available for channel program accounts." },
    "permission",
  ],
  [400, { message: "预扣费额度失败", code: "insufficient_user_quota" }, "account"],
  [400, { message: "The endpoint is closed", code: "InvalidEndpoint.ClosedEndpoint" }, "model"],
  [400, { message: "Your account a does not have", code: "InvalidSubscription" }, "account"],
  // No rule covers these errors, but their messages concern the operator.
  [400, { message: "Model m is only offered to users of the current plan" }, "forbidden"],
  [400, { message: "This model is not available in the tier of your account" }, "forbidden"],
  [400, { message: "Add a credit card to go on" }, "forbidden"],
  [422, { message: "计费资源已耗尽" }, "forbidden"],
  [400, { message: "Inactive subscription or usage limit reached" }, "forbidden"],
  [400, { message: "Organization has been restricted. Please reach out to support." }, "forbidden"],
  [400, { message: "You must be a member of an organization to use the API." }, "forbidden"],
  [400, { message: "This request exceeds the project's monthly budget." }, "forbidden"],
  [
    400,
    {
      message:
        "The model `m` requires terms acceptance. Please have the org admin accept the terms",
    },
    "forbidden",
  ],
  [413, { message: "Quota exceeded for quota metric of consumer 'project_number:1'" }, "forbidden"],
  [
    422,
    { message: "You are using a Trial key, which is limited to 1000 API calls / month." },
    "forbidden",
  ],
  [413, { message: "Monthly spend limit for workspace w exceeded" }, "forbidden"],
  [422, { message: "Subscription of acme has expired" }, "forbidden"],
  [400, { message: "Free tier of acme used up" }, "forbidden"],
  [422, { message: "Your IP 203.0.113.9 is not in the allowlist of acme" }, "forbidden"],
  [400, { message: "This endpoint is not available for HIPAA organization acme" }, "forbidden"],
] as const

test.each(ACCOUNT_ERRORS)(
  "an account error after a successful status is recognized (%#)",
  (status, error, about) => {
    const { kind, message, details } = vendorRejection(status, error)
    expect(details.providerError).toBe(about)
    expect(kind).toBe(about === "capacity" ? "upstream_overloaded" : "upstream_error")
    expect(message).not.toContain(error.message)
  },
)
