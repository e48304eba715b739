import { describe, expect, test } from "bun:test"
import { vendorRejection } from "../../src/canon/vendor-error.ts"
import { readVendorError } from "../../src/dialects/shared/errors.ts"

const ACCOUNT_MESSAGES: readonly string[] = [
  "Your credit balance is too low to access the API. Please go to Plans & Billing.",
  "API key not valid. Please pass a valid API key.",
  "Permission 'a.predict' denied on resource '//a.googleapis.com/projects/p/locations/us/publishers/google/models/m'.",
  "Vertex AI API has not been used in project p1 before or it is disabled.",
  "The API deployment for this resource does not exist. Deployment acme.",
  "The request was rejected because the customer's free trial of plan acme has ended.",
  "User acme is not authorized to perform bedrock:InvokeModel",
  "Virtual key acme over budget: spent 100.2 of 100.0",
  "No credits remaining (acme)",
  "Please add a payment method to acme",
  "AADSTS7000222: The provided client secret keys for app 'acme' are expired",
  "Hard limit of $120 was reached for acme",
  "IP 203.0.113.9 not whitelisted for acme",
  "Resource acme not deployed",
]
const WRAPPINGS: readonly ((message: string) => string)[] = [
  (message) => `400 ${message}`,
  (message) => `error, status code: 400, status: 400 Bad Request, message: ${message}`,
  (message) => `An error occurred (X) when calling the Converse operation: ${message}`,
  (message) =>
    `[GoogleGenerativeAI Error]: Error fetching from https://a.example/m: [400 Bad Request] ${message}`,
  (message) => `com.google.genai.errors.ClientException: 400 . ${message}`,
  (message) => `400, message='${message}', url='https://a.example'`,
  (message) => `terminated with:\n\tdetails = "${message}"\n\tdebug_error_string = "x"`,
  (message) => `ApiError(ApiError { message: "${message}", type: Some("t"), param: None })`,
  (message) => `{"error" => {"message" => "${message}"}}`,
  (message) => `Upstream said \`${message}\``,
  (message) => `${"The router has tried several providers for this request. ".repeat(8)}${message}`,
]

/** Rejections of the caller's own request. */
const ORDINARY_MESSAGES: readonly string[] = [
  "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again.",
  "The thinking budget 50000 is invalid. Please choose a value between 128 and 32768.",
  "'your plan' is not one of ['auto', 'none'] - 'tool_choice'",
  "Additional properties are not allowed ('your plan' was unexpected)",
  "Could not convert string to float: 'your plan'",
  "Invalid value at 'generation_config.value' (type), \"your account\"",
  "Error while downloading https://example.org/a.png: Access Denied.",
  "This model has no images. Please upgrade to the latest version of the model.",
  "The number of tools exceeds the hard limit of 128.",
  "metadata.project: project id must be a string",
  "logprobs is not enabled for gpt-5-2025-08-07",
  "Unrecognized request arguments supplied: billing_plan, project_id",
]

describe("a message about the operator's account", () => {
  test.each(ACCOUNT_MESSAGES)("stays hidden even if other text surrounds it: %s", (message) => {
    for (const wrapped of [message, ...WRAPPINGS.map((wrap) => wrap(message))]) {
      const bodies = [
        { error: { message: wrapped, param: null } },
        { error: { message: wrapped, param: "model" } },
        { error: { message: "Provider returned error", metadata: { raw: wrapped } } },
      ]
      for (const body of bodies) {
        const rejection = vendorRejection(400, readVendorError(body))
        expect([wrapped, rejection.kind]).toEqual([wrapped, "upstream_error"])
        expect(rejection.message).not.toContain(message)
      }
    }
  })

  test.each(["Invalid value: 'API key not valid'", "Upstream: API key not valid."])(
    "does not count as an account error if it may quote the request: %s",
    (message) => {
      const kind = vendorRejection(400, { message }).details.providerError
      expect(["request", "forbidden"]).toContain(kind ?? "")
    },
  )
})

test.each(ORDINARY_MESSAGES)("an ordinary rejection keeps its message: %s", (message) => {
  for (const wrapped of [message, `litellm.BadRequestError: OpenAIException - ${message}`]) {
    const rejection = vendorRejection(400, readVendorError({ error: { message: wrapped } }))
    expect([rejection.kind, rejection.message]).toEqual(["rejected_by_upstream", wrapped])
  }
})

test.each(['"', "'", " `", "value 'x ", ": ", "{", "a_", "permission a", "\n"])(
  "a hostile error message is classified quickly: %j",
  (part) => {
    const body = { error: { message: part.repeat(1_000_000 / part.length) } }
    const list = { errors: Array.from({ length: 24_000 }, () => `${part.repeat(80)}{'a':1}`) }
    for (const hostile of [body, list]) {
      vendorRejection(400, readVendorError(hostile))
      const begun = process.cpuUsage()
      vendorRejection(400, readVendorError(hostile))
      expect(process.cpuUsage(begun).user).toBeLessThan(50_000)
    }
  },
)
