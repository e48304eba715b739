import type { Running } from "../subjects/subject.ts"
import { RESPONSE_TOKENS, chatBody, STREAM_FRAMES, STREAM_TOKENS } from "./request.ts"

const MAX_WORDS = 500

interface ResponseBody {
  readonly model: string
  readonly usage: { readonly completion_tokens: number } | null
}

/**
 * Checks a response that is streamed and one that is not.
 * @throws if a subject does less than required, because that would make it faster.
 */
export async function checkResponses(running: Running): Promise<void> {
  const model = running.model("echo")
  const whole = JSON.parse(
    await ask(running, chatBody(model, RESPONSE_TOKENS, false)),
  ) as ResponseBody
  checkResponse(running, whole, RESPONSE_TOKENS)
  const frames = (await ask(running, chatBody(model, STREAM_TOKENS, true))).split("\n\n")
  const used = JSON.parse(frames.at(-3)?.slice("data: ".length) ?? "") as ResponseBody
  checkResponse(running, used, STREAM_TOKENS)
  const count = frames.length - 1
  if (frames.at(-2) === "data: [DONE]" && count === STREAM_FRAMES) return
  throw new Error(`${running.name}: a stream of ${count} frames, not ${STREAM_FRAMES}`)
}

async function ask(running: Running, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${running.port}${running.path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...running.headers },
    body,
    keepalive: false,
  })
  const text = await response.text()
  if (response.status !== 200)
    throw new Error(`${running.name}: ${response.status} ${text.slice(0, MAX_WORDS)}`)
  return text
}

function checkResponse(running: Running, response: ResponseBody, tokens: number): void {
  const { model, usage } = response
  if (usage?.completion_tokens !== tokens) {
    throw new Error(`${running.name}: ${usage?.completion_tokens} tokens, not ${tokens}`)
  }
  const asked = running.model("echo")
  // A subject that renames the model must report the model under the name that the caller used.
  if (asked.includes("/") && running.name !== "pipe" && model !== asked) {
    throw new Error(`${running.name}: the answer's model is ${model}, not ${asked}`)
  }
}
