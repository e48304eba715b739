/** Sends the requests of programs that the examples configure, if a program is not in a registry or is too large. */
import { wave } from "../support/audio.ts"

/** The address without a path, and a key. */
export interface Caller {
  readonly url: string
  readonly key: string
}

/**
 * Returns the response.
 * @throws unless its status is 200.
 */
async function ok(response: Response, name: string): Promise<Response> {
  if (response.status === 200) return response
  throw new Error(`${name}: ${response.status} ${(await response.text()).slice(0, 300)}`)
}

function post(
  { url, key }: Caller,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const isForm = body instanceof FormData
  const type = isForm ? {} : { "content-type": "application/json" }
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...type, ...headers },
    body: isForm ? body : JSON.stringify(body),
  }).then((response) => ok(response, `POST ${path}`))
}

/** Chats with a model. @returns the id of the request. */
export async function chat(caller: Caller, model: string, headers = {}): Promise<string> {
  const messages = [{ role: "user", content: "Hello" }]
  const response = await post(caller, "/v1/chat/completions", { model, messages }, headers)
  const text = await response.text()
  if (!text.includes("Hello")) throw new Error(`the answer of ${model} is ${text}`)
  return response.headers.get("x-request-id") ?? ""
}

/**
 * Chats with a model and requests a stream.
 * @returns the id of the request.
 */
export async function streamedChat(caller: Caller, model: string, headers = {}): Promise<string> {
  const messages = [{ role: "user", content: "Hello" }]
  const body = { model, messages, stream: true, stream_options: { include_usage: true } }
  const response = await post(caller, "/v1/chat/completions", body, headers)
  const text = await response.text()
  if (!text.includes("data: [DONE]")) throw new Error(`the stream of ${model} is cut: ${text}`)
  return response.headers.get("x-request-id") ?? ""
}

export async function message(caller: Caller, model: string): Promise<void> {
  const messages = [{ role: "user", content: "Hello" }]
  await post(caller, "/v1/messages", { model, max_tokens: 1_000, messages })
}

export async function generateContent({ url, key }: Caller, model: string): Promise<void> {
  const response = await fetch(`${url}/v1beta/${model}:generateContent`, {
    method: "POST",
    headers: { "x-goog-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] }),
  })
  await ok(response, `generateContent of ${model}`)
}

/**
 * Lists models.
 * @returns the ids of the models that the key may call.
 */
export async function listModels({ url, key }: Caller): Promise<readonly string[]> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await (await ok(response, "GET /v1/models")).json()) as {
    data: readonly { readonly id: string }[]
  }
  return data.map(({ id }) => id)
}

export async function embed(caller: Caller, model: string): Promise<void> {
  await post(caller, "/v1/embeddings", { model, input: ["one", "two"] })
}

export async function rerank(caller: Caller, model: string): Promise<void> {
  await post(caller, "/v1/rerank", { model, query: "one", documents: ["one", "two"], top_n: 1 })
}

export async function generateImage(caller: Caller, model: string): Promise<void> {
  await post(caller, "/v1/images/generations", { model, prompt: "A lighthouse", n: 1 })
}

export async function speak(caller: Caller, model: string, voice: string): Promise<void> {
  await post(caller, "/v1/audio/speech", { model, voice, input: "Hello" })
}

export async function transcribe(caller: Caller, model: string): Promise<void> {
  const form = new FormData()
  form.set("model", model)
  form.set("file", new File([wave(1)], "hello.wav", { type: "audio/wav" }))
  await post(caller, "/v1/audio/transcriptions", form)
}

/**
 * Reads a receipt.
 * @returns the receipt of a request.
 */
export async function receiptOf(
  { url, key }: Caller,
  id: string,
): Promise<{ readonly user?: string; readonly session?: string; readonly price?: unknown }> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/receipts/${id}`, { headers })
  return (await (await ok(response, `the receipt ${id}`)).json()) as Record<string, never>
}
