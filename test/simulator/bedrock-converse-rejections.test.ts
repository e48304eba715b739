import { expect, test } from "bun:test"
import { AwsClient } from "aws4fetch"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import {
  addressOf,
  responseOf,
  asking,
  PIXEL,
  post,
  rejectionOf,
  THINKING,
  TOOL_CONFIG,
  type Fields,
} from "./bedrock-support.ts"
import { HAS_FIXTURES, recorded, WITHOUT_FIXTURES } from "./recorded-keys.ts"

const KEY = { accessKeyId: "AKIDSIMULATOR", secretAccessKey: "simulator-secret" }

function signing(more: Fields = {}): AwsClient {
  return new AwsClient({ ...KEY, service: "bedrock", region: "eu-west-1", retries: 0, ...more })
}

/** Sends a signed request. Returns the status, the type and the message of the response. */
async function signed(client: AwsClient, address: string, body = asking("hällo")) {
  const response = await client.fetch(address, { method: "POST", body: JSON.stringify(body) })
  const type = response.headers.get("x-amzn-errortype")?.split(":", 1)[0]
  const { message = "" } = (await response.json()) as { message?: string }
  return [response.status, type, message]
}

for (const model of ["claude", "us.anthropic.claude-v1:0", "arn:aws:bedrock:eu-west-1:1:a/b"]) {
  test(`the Bedrock simulator accepts the correct signature for ${model}`, async () => {
    await using simulator = startSimulator()
    expect(await signed(signing(), addressOf(simulator, model))).toEqual([200, undefined, ""])
    expect((await signed(signing(), `${addressOf(simulator, model)}?a=1&b=2`))[0]).toBe(200)
    const bare = `${simulator.url}/model/${model.replace("/", "%2F")}/converse`
    expect((await signed(signing(), bare))[0]).toBe(200)
  })
}

test("the Bedrock simulator rejects a signature with a wrong secret or for a different body", async () => {
  await using simulator = startSimulator()
  const other = await signed(signing({ secretAccessKey: "other" }), addressOf(simulator))
  expect(other.slice(0, 2)).toEqual([403, "InvalidSignatureException"])
  expect(other[2]).toStartWith("The request signature we calculated does not match")
  const address = addressOf(simulator)
  const ready = await signing().sign(address, { method: "POST", body: JSON.stringify(asking("a")) })
  const body = JSON.stringify(asking("b"))
  const changed = await fetch(address, { method: "POST", headers: ready.headers, body })
  expect(changed.status).toBe(403)
})

test("the Bedrock simulator accepts a signature of any well-formed access key", async () => {
  await using simulator = startSimulator()
  const address = addressOf(simulator)
  expect((await signed(signing({ accessKeyId: "AKIDOTHER" }), address))[0]).toBe(200)
  const session = signing({ sessionToken: "session" })
  expect((await signed(session, address))[0]).toBe(200)
  expect((await signed(signing({ accessKeyId: "wrong" }), address)).slice(0, 2)).toEqual([
    403,
    "UnrecognizedClientException",
  ])
  const scoped = await signed(signing({ service: "s3" }), address)
  expect(scoped).toEqual([
    403,
    "InvalidSignatureException",
    "Credential should be scoped to correct service: 'bedrock'. ",
  ])
})

test("the Bedrock simulator requires a well-formed bearer token or signature", async () => {
  await using simulator = startSimulator()
  const ask = async (authorization: string | undefined) => {
    const headers = authorization === undefined ? undefined : { authorization }
    const body = JSON.stringify(asking("a"))
    const response = await fetch(addressOf(simulator), {
      method: "POST",
      body,
      ...(headers === undefined ? {} : { headers }),
    })
    return [response.status, response.headers.get("x-amzn-errortype")?.split(":", 1)[0]]
  }
  expect(await ask(undefined)).toEqual([403, "MissingAuthenticationTokenException"])
  expect(await ask("Bearer wrong")).toEqual([403, "AccessDeniedException"])
  expect(await ask("Bearer any")).toEqual([200, undefined])
  expect(await ask("AWS4-HMAC-SHA256 Credential=a")).toEqual([403, "IncompleteSignatureException"])
})

const USER = { role: "user", content: [{ text: "go" }] }

function call(toolUseId: string) {
  return { toolUse: { toolUseId, name: "get_time", input: {} } }
}

function result(toolUseId: string, content: unknown = [{ text: "noon" }]) {
  return { toolResult: { toolUseId, content } }
}

function turns(assistant: unknown[], user: unknown[], more: Fields = { toolConfig: TOOL_CONFIG }) {
  const messages = [
    USER,
    { role: "assistant", content: assistant },
    { role: "user", content: user },
  ]
  return { messages, ...more }
}

function ofUser(...content: unknown[]) {
  return { messages: [{ role: "user", content }] }
}

function document(name: string) {
  return { document: { format: "pdf", name, source: { bytes: "JVBERg==" } } }
}

const REJECTIONS: [string, unknown, string][] = [
  ["no messages", { messages: [] }, "A conversation must start with a user message."],
  [
    "an assistant first",
    { messages: [{ role: "assistant", content: [{ text: "a" }] }] },
    "A conversation must start with a user message.",
  ],
  [
    "two messages of one role",
    { messages: [USER, USER] },
    "A conversation must alternate between user and assistant roles.",
  ],
  ["an unknown field", asking("a", { max_tokens: 1 }), "The field max_tokens is not a member"],
  [
    "a field that the model does not support",
    asking("a", { outputConfig: {} }),
    "This model doesn't support the outputConfig field.",
  ],
  [
    "a temperature above 1",
    asking("a", { inferenceConfig: { temperature: 1.5 } }),
    "1 validation error detected: Value '1.5' at 'inferenceConfig.temperature'",
  ],
  [
    "a blank text",
    asking(" "),
    "The text field in the ContentBlock object at messages.0.content.0 is blank.",
  ],
  [
    "no content",
    { messages: [{ role: "user", content: [] }] },
    "The content field in the Message object at messages.0 is empty.",
  ],
  [
    "an unknown block",
    ofUser({ type: "text", text: "a" }),
    "The ContentBlock object at messages.0.content.0 must set one of the following keys: text,",
  ],
  [
    "tools that are not defined",
    turns([call("a")], [result("a")], {}),
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  ],
  [
    "a call without a result",
    turns([call("a"), call("b")], [result("a")]),
    "Expected toolResult blocks at messages.2.content for the following Ids: b",
  ],
  [
    "a surplus result",
    turns([call("a")], [result("a"), result("b")]),
    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks",
  ],
  [
    "a list as a result",
    turns([call("a")], [result("a", [{ json: [] }])]),
    "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid.",
  ],
  [
    "a failed result without content",
    turns([call("a")], [{ toolResult: { toolUseId: "a", content: [], status: "error" } }]),
    "The content field at messages.2.content.0.toolResult cannot be empty",
  ],
  [
    "an invalid call id",
    turns([call("a.b")], [result("a.b")]),
    "1 validation error detected: Value 'a.b' at 'messages.1.content.0.toolUse.toolUseId'",
  ],
  [
    "an empty list of tools",
    asking("a", { toolConfig: { tools: [] } }),
    "1 validation error detected: Value '[]' at 'toolConfig.tools'",
  ],
  [
    "an invalid schema",
    asking("a", {
      toolConfig: { tools: [{ toolSpec: { name: "a", inputSchema: { json: {} } } }] },
    }),
    "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of",
  ],
  [
    "an invalid document name",
    ofUser({ text: "see" }, document("my.file.pdf")),
    "The document file name can only contain alphanumeric characters",
  ],
  [
    "two spaces in a document name",
    ofUser({ text: "see" }, document("my  file")),
    "The document file name can only contain alphanumeric characters",
  ],
  ["a document without text", ofUser(document("a")), "The message at messages.0 has a document"],
  [
    "bytes other than an image",
    ofUser({ image: { format: "png", source: { bytes: "AAAA" } } }),
    "The model returned the following errors: Could not process image",
  ],
  [
    "an image of another kind",
    ofUser({ image: { format: "jpeg", source: { bytes: PIXEL } } }),
    "The model returned the following errors: messages.0.content.0.image: The image was",
  ],
  [
    "an image in a bucket",
    ofUser({ image: { format: "png", source: { s3Location: { uri: "s3://a/b" } } } }),
    "This model doesn't support the s3Uri field. Remove s3Uri and try again.",
  ],
  [
    "thinking without this vendor's signature",
    turns(
      [{ reasoningContent: { reasoningText: { text: "hm", signature: "aaaa" } } }],
      [{ text: "on" }],
    ),
    "The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "redacted thinking without this vendor's signature",
    turns([{ reasoningContent: { redactedContent: "aaaa" } }], [{ text: "on" }]),
    "The model returned the following errors: messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  ],
  [
    "a continued turn without its thinking",
    turns([call("a")], [result("a")], {
      toolConfig: TOOL_CONFIG,
      additionalModelRequestFields: THINKING,
    }),
    "The model returned the following errors: messages.1.content.0.type: Expected `thinking`",
  ],
  [
    "thinking beyond the limit",
    asking("a", {
      inferenceConfig: { maxTokens: 1024 },
      additionalModelRequestFields: THINKING,
    }),
    "The model returned the following errors: `max_tokens` must be greater than",
  ],
]

for (const [name, body, message] of REJECTIONS) {
  test(`the Bedrock simulator rejects a request with ${name}`, async () => {
    expect(await rejectionOf(body)).toStartWith(message)
  })
}

test("the Bedrock simulator rejects a request with changed thinking", async () => {
  await using simulator = startSimulator()
  const body = asking("why", { additionalModelRequestFields: THINKING })
  const { message } = (await responseOf(simulator, body)).output
  const send = (first: unknown) =>
    post(simulator, { messages: [USER, { ...message, content: [first] }, USER] })
  expect((await send(message.content[0])).status).toBe(200)
  const changed = JSON.parse(JSON.stringify(message.content[0]).replace("asked", "told")) as Fields
  expect(changed).not.toEqual(message.content[0] ?? {})
  expect((await send(changed)).status).toBe(400)
})

async function rejected(simulator: Simulator, model: string, stream: boolean) {
  const response = await post(simulator, asking("a"), { model, stream })
  return [response.status, response.headers.get("x-amzn-errortype"), await response.json()]
}

test.skipIf(!HAS_FIXTURES)(
  `the Bedrock simulator rejects an unknown model with the recorded error${WITHOUT_FIXTURES}`,
  async () => {
    await using simulator = startSimulator()
    const { response } = recorded("bedrock-converse/test-converse-stream-with-invalid-model--0")
    const { status, headers, body } = response
    const theirs = [status, headers["x-amzn-errortype"] ?? "", body.json]
    expect(await rejected(simulator, "unknown", true)).toEqual(theirs)
    expect(await rejected(simulator, "unknown", false)).toEqual(theirs)
  },
)

test("the Bedrock simulator rejects operations other than Converse", async () => {
  await using simulator = startSimulator()
  const headers = { authorization: "Bearer any" }
  const invoked = await fetch(`${simulator.url}/model/a/invoke`, { method: "POST", headers })
  expect(invoked.status).toBe(403)
  expect((await fetch(addressOf(simulator), { headers })).status).toBe(403)
})
