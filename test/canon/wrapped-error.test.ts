import { describe, expect, test } from "bun:test"
import { vendorRejection } from "../../src/canon/vendor-error.ts"
import { textsOf, unwrapError } from "../../src/canon/wrapped-error.ts"
import { threadTime } from "../support/processor-time.ts"

const CREDIT = "Your credit balance is too low to access the Anthropic API."
const CREDIT_JSON = `{"type":"error","error":{"type":"invalid_request_error","message":"${CREDIT}"}}`
const CREDIT_PYTHON = CREDIT_JSON.replaceAll('"', "'")
const KEY = `{
  "error": {
    "code": 400,
    "message": "API key not valid. Please pass a valid API key.",
    "status": "INVALID_ARGUMENT",
    "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID" }]
  }
}`
const LIMIT = `{'error': {'message': "Billing hard limit has been reached", 'type': 'billing_limit_user_error', 'param': None, 'code': 'billing_hard_limit_reached'}}`

/** Messages in which routers and Python relays forward an account error. */
const WRAPPED = [
  [`litellm.BadRequestError: AnthropicException - ${CREDIT_JSON}`, "account"],
  [`litellm.BadRequestError: AnthropicException - b'${CREDIT_JSON}'`, "account"],
  [`litellm.BadRequestError: VertexAIException BadRequestError - ${CREDIT_JSON}`, "account"],
  [`litellm.BadRequestError: Vertex_aiException BadRequestError - b'${CREDIT_JSON}'`, "account"],
  [`litellm.APIError: AzureException APIError - ${CREDIT}`, "account"],
  [`litellm.BadRequestError: BadRequestError: OpenAIException - ${CREDIT}`, "account"],
  [
    `litellm.BadRequestError: GeminiException BadRequestError - ${KEY}. Received Model Group=m\nAvailable Model Group Fallbacks=None`,
    "credential",
  ],
  [
    `litellm.BadRequestError: GeminiException BadRequestError - b'${KEY.replaceAll("\n", "\\n")}'`,
    "credential",
  ],
  [`Error code: 400 - ${CREDIT_PYTHON}`, "account"],
  [`openai.BadRequestError: Error code: 400 - ${CREDIT_PYTHON}`, "account"],
  [`litellm.BadRequestError: AnthropicException - Error code: 400 - ${CREDIT_PYTHON}`, "account"],
  [`Error code: 400 - ${LIMIT}`, "account"],
  [`400 ${CREDIT_JSON}`, "account"],
  [`litellm.BadRequestError: OpenAIException - ${LIMIT.slice(0, -2)}`, "account"],
  [
    `litellm.BadRequestError: OpenAIException - ${JSON.stringify({ error: { message: `Error code: 400 - ${CREDIT_PYTHON}` } })}`,
    "account",
  ],
  [`Error code: 400 - {'error': 'This project's monthly budget is exhausted.'}`, "forbidden"],
  [`The upstream returned ${CREDIT_JSON} after 1 attempt`, "forbidden"],
  [`Failed [2]: {'code': 'billing_hard_limit_reached', 'message': 'no'}`, "forbidden"],
] as const

describe("an error inside the message of another error", () => {
  test.each(WRAPPED)(
    "counts as an account error if it is about the account: %s",
    (message, kind) => {
      for (const error of [{ message }, { message, type: "BadRequestError", code: "400" }]) {
        const refusal = vendorRejection(400, error)
        expect(refusal.details.providerError).toBe(kind)
        expect(refusal.message).not.toMatch(/credit|API key|limit|budget/i)
      }
    },
  )

  test.each([
    [
      `litellm.BadRequestError: OpenAIException - {"error":{"message":"Unknown value: 'your plan'"}}`,
    ],
    [
      `Error code: 400 - {'error': {'message': "Invalid value: 'your credit balance is too low'."}}`,
    ],
    [`{"error":{"message":"Input should be 'user'"},"input":"your account is suspended"}`],
    [`Invalid JSON: {"messages": ["your account is suspended"]}`],
  ])("counts as the caller's error if it only quotes the request: %s", (message) => {
    expect(vendorRejection(400, { message }).details.providerError).toBe("request")
  })

  test("keeps the names and the parameter of the called provider", () => {
    const wrapped = `litellm.BadRequestError: OpenAIException - Error code: 400 - {'error': {'message': 'No.', 'type': 't', 'param': 'seed', 'code': 'c'}}`
    expect(unwrapError(wrapped)).toEqual({
      message: "No.",
      type: "t",
      code: "c",
      parameter: "seed",
    })
    const cohere = 'litellm.BadRequestError: CohereException - b\'{"message":"\\xe4\\xbd\\x99"}\''
    expect(unwrapError(cohere).message).toBe("余")
    const escaped = String.raw`Error code: 400 - {'error': {'message': 'a\u4f59\U0001f600\x41\n\'b'}}`
    expect(unwrapError(escaped).message).toBe("a余😀A\n'b")
  })

  test.each([
    ["{'", 30_000],
    ["[{", 30_000],
    ["{'a':", 12_000],
    ["b'{", 20_000],
    ["'  ", 20_000],
    ['{"a":"\\', 9_000],
    ["XError: ", 8_000],
    ["Exception", 7_000],
    ["400 {", 13_000],
    ['"{', 30_000],
  ])("takes linear time to read, even if it is hostile: %s", (part, count) => {
    for (const start of ["", "litellm.BadRequestError: AnthropicException - ", "{'a': '"]) {
      const message = start + part.repeat(count)
      const read = () => vendorRejection(400, { message, texts: textsOf({ error: { message } }) })
      expect(threadTime(read, 250)).toBeLessThan(250)
    }
  })
})
