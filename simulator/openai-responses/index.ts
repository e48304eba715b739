import { planResponse } from "../response.ts"
import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { arrayOf, isObject, objectOf, stringOf, type JsonObject } from "../json.ts"
import {
  answerWrongMethod,
  credentialError,
  faultError,
  invalid,
  reject,
  type VendorError,
} from "../openai-chat/errors.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import { hexadecimal } from "../identifiers.ts"
import { dueFault, wholeBody } from "../play.ts"
import { bodyOf, streamSteps } from "../stream.ts"
import { playTransportFault } from "../transport-faults.ts"
import { countUsage } from "../usage.ts"
import { rejectLimit } from "../vendor-limits/envelopes.ts"
import { limitProblem } from "../vendor-limits/index.ts"
import { checkRequest } from "./checks.ts"
import { codeItems, containerOf } from "./containers.ts"
import { conversationOf, gatherItems } from "./conversation.ts"
import { ResponseScript } from "./frames.ts"
import { missing } from "./rejections.ts"
import { readPrompt } from "./request.ts"
import {
  failedText,
  finishedItems,
  outputItems,
  responseId,
  resultText,
  type ResponsesResponse,
} from "./result.ts"

const RESPONSES_PATH = "/v1/responses"
const CONVERSATIONS_PATH = "/v1/conversations"

/** Simulates OpenAI's responses API. */
export const openaiResponses: WireFormat = {
  name: "openai-responses",
  match(method, path): Handler | undefined {
    if (path === CONVERSATIONS_PATH)
      return method === "POST" ? beginConversation : answerWrongMethod
    if (path.startsWith(`${RESPONSES_PATH}/`) && method === "DELETE") return deleteResponse
    if (path !== RESPONSES_PATH) return undefined
    return method === "POST" ? answerResponse : answerWrongMethod
  },
}

/** Creates a conversation, which is empty or contains its first items. */
async function beginConversation(exchange: Exchange): Promise<Response> {
  const body = objectOf(await exchange.readBody())
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  const id = `conv_${hexadecimal(48)}`
  const items = arrayOf(body.items).map((item) => objectOf(item))
  exchange.state.storedResponses.begin(id, items)
  const created = Math.floor(Date.now() / 1000)
  const metadata = body.metadata ?? {}
  const text = JSON.stringify({ id, object: "conversation", created_at: created, metadata })
  return vendorResponse(wholeBody(exchange, text, undefined), "json")
}

async function deleteResponse(exchange: Exchange): Promise<Response> {
  await exchange.readBody()
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  const id = exchange.record.path.slice(RESPONSES_PATH.length + 1)
  if (!exchange.state.storedResponses.forget(id)) return reject(exchange, responseNotFound(id))
  const text = JSON.stringify({ id, object: "response", deleted: true })
  return vendorResponse(wholeBody(exchange, text, undefined), "json")
}

function responseNotFound(id: string): VendorError {
  return { ...invalid(`Response with id '${id}' not found.`, null, null), status: 404 }
}

async function answerResponse(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (!isObject(body)) {
    const message = "We could not parse the JSON body of your request."
    return reject(exchange, invalid(message, null, null))
  }
  const model = stringOf(body.model)
  if (model === "") return reject(exchange, missing("model"))
  if (model === "unknown") return reject(exchange, modelNotFound(model))
  const fault = dueFault(exchange, model, stringOf(body.user))
  if (fault === "unknown") {
    const message = "The simulator knows no fault of the name in x-simulate-fault."
    return reject(exchange, invalid(message, null, "unknown_fault"))
  }
  const played = fault === undefined ? undefined : await playFault(exchange, fault, model)
  if (played !== undefined) return played
  const wrong = checkRequest(body)
  if (wrong !== undefined) return reject(exchange, wrong)
  const problem = limitProblem(exchange, "responses", model, body)
  if (problem !== undefined) return rejectLimit(exchange, problem)
  return answerWell(exchange, body, fault)
}

/**
 * Returns the error for a model that does not exist. Its status is 400, unlike the 404 of chat completions (recorded).
 */
function modelNotFound(model: string): VendorError {
  return invalid(`The requested model '${model}' does not exist.`, "model", "model_not_found")
}

/** Injects the faults that replace the model's response. */
async function playFault(
  exchange: Exchange,
  fault: Fault,
  model: string,
): Promise<Response | undefined> {
  const transported = await playTransportFault(exchange, fault)
  if (transported !== undefined) return transported
  const error = errorOfFault(fault.name, model)
  return error === undefined ? undefined : reject(exchange, error)
}

function errorOfFault(name: string, model: string): VendorError | undefined {
  switch (name) {
    // This fault occurs only after the response has begun.
    case "stream-error":
      return undefined
    case "404":
      return modelNotFound(model)
    case "400-context": {
      const message =
        "Your input exceeds the context window of this model. Please adjust your input and try again."
      return invalid(message, "input", "context_length_exceeded")
    }
    default:
      return faultError(name, model)
  }
}

function answerWell(exchange: Exchange, body: JsonObject, fault: Fault | undefined): Response {
  const stored = exchange.state.storedResponses
  const gathered = gatherItems(body, stored)
  if (!("items" in gathered)) return reject(exchange, gathered)
  const container = containerOf(body, stored)
  if (typeof container === "object") return reject(exchange, container)
  const response = responseOf(exchange, body, { items: gathered.items, container, fault })
  const output = finishedItems(response)
  stored.noteReasoning(output)
  if (container !== undefined) stored.keepContainer(container)
  if (body.store !== false) stored.keep(response.id, gathered.items, output)
  stored.continue(conversationOf(body), [...gathered.items, ...output])
  if (body.stream === true) {
    const isObfuscated = objectOf(body.stream_options).include_obfuscation !== false
    const script = new ResponseScript(response, output, isObfuscated)
    const steps = streamSteps(script, exchange.cadence, fault)
    return vendorResponse(bodyOf(exchange, steps), "stream")
  }
  const text = fault?.name === "stream-error" ? failedText(response) : resultText(response, output)
  return vendorResponse(wholeBody(exchange, text, fault), "json")
}

interface Settled {
  readonly items: readonly JsonObject[]
  /** The container of the code interpreter; undefined if the tool is not offered. */
  readonly container: string | undefined
  readonly fault: Fault | undefined
}

function responseOf(
  exchange: Exchange,
  body: JsonObject,
  { items, container, fault }: Settled,
): ResponsesResponse {
  const model = stringOf(body.model)
  const read = readPrompt(body, items)
  const isMirror = fault?.name === "echo-headers"
  const prompt = isMirror ? { ...read, echo: JSON.stringify(exchange.record.headers) } : read
  const [choice] = planResponse(prompt)
  if (choice === undefined) throw new Error("an answer has one choice")
  return {
    id: responseId(),
    created: Math.floor(Date.now() / 1000),
    model: /-\d{4}-\d{2}-\d{2}$/.test(model) ? model : `${model}-2026-11-01`,
    body,
    items: [...codeItems(container), ...outputItems(choice, prompt.echo, body)],
    isIncomplete: choice.ending === "length",
    usage: countUsage(prompt, [choice], exchange.state.promptCache, fault),
    logprobs: {
      wanted: arrayOf(body.include).includes("message.output_text.logprobs"),
      alternatives: typeof body.top_logprobs === "number" ? body.top_logprobs : 0,
    },
  }
}
