import { asGatewayError } from "../../canon/errors.ts"
import type { ImageRequest, ImageTask } from "../../canon/image.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import {
  decodeImageParameters,
  IMAGE_FIELD_KINDS,
  type ImageParameters,
} from "../../dialects/image/request.ts"
import { LARGEST_PICTURE, readRequestPictures } from "../../media/request-pictures.ts"
import type { Answer, Call } from "../../relay/pipeline/call.ts"
import type { Images } from "../../relay/operations/image/images.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import { errorAnswer } from "../answers.ts"
import { callerOrigin } from "../caller-origin.ts"
import { heldAnswer } from "../held-answer.ts"
import { USUAL_PACE } from "../incoming-body.ts"
import { readJsonBody } from "../read-body.ts"
import { type FileRules, type Form, readForm } from "../read-form.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import type { Spool } from "../spool.ts"
import { callOf, type JsonOperationServices } from "./json-operation.ts"

export interface ImageServices extends JsonOperationServices {
  readonly images: Images
  readonly spool: Spool
  /** The address that callers use, when the operator says which. */
  readonly publicUrl: () => string | undefined
  /** Whether edits without a mask are served. */
  readonly masksOptional: () => boolean
  /** Where the gateway is without that. */
  readonly ownUrl: () => string
}

/** `POST /v1/images/generations` */
export const GENERATIONS_PATH = "/v1/images/generations"
/** `POST /v1/images/edits` */
export const EDITS_PATH = "/v1/images/edits"
/** `POST /v1/images/variations` */
export const VARIATIONS_PATH = "/v1/images/variations"

/** Images that an edit may begin with. Models that take fewer say so themselves. */
const MOST_IMAGES = 4

const ONE_PICTURE = { count: 1, bytes: LARGEST_PICTURE }

/** Pictures from a prompt. */
export function imageGenerations(services: ImageServices): Handler {
  return answering(GENERATIONS_PATH, services, async (request, memory, arrived) => {
    const limit = services.bodyLimit()
    const { json, bytes } = await readJsonBody(request, limit, memory, services.pace)
    const call = arrived(bytes)
    const parameters = decodeImageParameters("generation", json)
    const received = { call, request, parameters }
    const answer = await make(services, received, { ...parameters, images: [] })
    services.contents.keep(call, json)
    return answer
  })
}

/** Pictures changed where a mask is transparent. */
export function imageEdits(services: ImageServices): Handler {
  const rules = { image: { count: MOST_IMAGES, bytes: LARGEST_PICTURE }, mask: ONE_PICTURE }
  return fromForm("edit", EDITS_PATH, rules, services)
}

/** Pictures like another one. */
export function imageVariations(services: ImageServices): Handler {
  return fromForm("variation", VARIATIONS_PATH, { image: ONE_PICTURE }, services)
}

function fromForm(
  task: ImageTask,
  path: string,
  rules: FileRules,
  services: ImageServices,
): Handler {
  const { spool, pace = USUAL_PACE } = services
  return answering(path, services, async (request, memory, arrived) => {
    await using form = await readForm(request, spool, rules, { memory, pace })
    const call = arrived(form.bytes)
    const parameters = decodeImageParameters(task, form.parameters(IMAGE_FIELD_KINDS))
    const wanted = await withPictures(parameters, form)
    requireMask(wanted, services)
    return await make(services, { call, request, parameters }, wanted)
  })
}

/** @throws GatewayError where there is none, and the settings do not do without. */
export function requireMask(
  { task, mask }: Pick<ImageRequest, "task" | "mask">,
  { masksOptional }: Pick<ImageServices, "masksOptional">,
): void {
  if (task === "edit" && mask === undefined && !masksOptional()) throw missingParameter("mask")
}

/** The call, once all of its body is here. @param bytes of the body. */
type Arrived = (bytes: number) => Call

/** An endpoint whose answer is JSON or, where that was asked for, a stream of events. */
function answering(
  path: string,
  { keyring, events, memory: budget }: ImageServices,
  serve: (request: Request, memory: Reservation, arrived: Arrived) => Promise<Answer>,
): Handler {
  return async function handle(request, waitLong, id = newRequestId()) {
    let memory: Reservation | undefined
    try {
      const receivedAt = Date.now()
      const startedAt = performance.now()
      const found = keyring.identify(request.headers, receivedAt)
      const key = found instanceof Promise ? await found : found
      const held = (memory = budget.open(key))
      const { headers, body } = await serve(request, held, (bodyBytes) => {
        waitLong()
        const known = { id, key, endpoint: path, bodyBytes, receivedAt, startedAt, memory: held }
        return callOf(known, request.headers)
      })
      const ids = { "x-request-id": id, "request-id": id }
      return heldAnswer({ headers: { ...headers, ...ids }, body }, held)
    } catch (thrown) {
      memory?.[Symbol.dispose]()
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") events.requestFailed(id, thrown)
      return errorAnswer(error, id)
    }
  }
}

/** An edit is as large as its image, unless the caller leaves that to the model. */
async function withPictures(parameters: ImageParameters, form: Form): Promise<ImageRequest> {
  const { task, size } = parameters
  const { size: own, ...pictures } = await readRequestPictures(task, form.files, size)
  return { ...parameters, ...pictures, ...(task === "edit" && { size: size ?? own }) }
}

interface Received {
  readonly call: Call
  readonly request: Request
  readonly parameters: ImageParameters
}

function make(
  { images, publicUrl, ownUrl }: ImageServices,
  { call, request, parameters }: Received,
  wanted: ImageRequest,
): Promise<Answer> {
  // By the name of its own network that leads a caller to this gateway, its pictures are reached too.
  const base = publicUrl() ?? callerOrigin(request.url, ownUrl())
  return images.make({ call, model: parameters.model, request: wanted, base }, request)
}
