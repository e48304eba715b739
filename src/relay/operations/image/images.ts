import { nowInSeconds } from "../../../dialects/shared/time.ts"
import type { Loss } from "../../../canon/extra.ts"
import { afterCharge, asChargedError, asGatewayError, GatewayError } from "../../../canon/errors.ts"
import {
  type ImageFile,
  type ImageFormat,
  type MaskStyle,
  type ImageRequest,
  type ImageResult,
  type Image,
  type ImageForm,
  sizeName,
} from "../../../canon/image.ts"
import { imageType } from "../../../canon/media-source.ts"
import type { OperationResponse } from "../../../canon/operation.ts"
import { unusable } from "../../../canon/operation-response.ts"
import { NO_USAGE, totalInput } from "../../../canon/usage.ts"
import { type Deployment, credentialIdOf, type Model } from "../../../catalog/model.ts"
import {
  type DoneImage,
  encodeImageEvents,
  STREAM_EMULATED,
} from "../../../dialects/image/stream.ts"
import { billedText } from "../../../dialects/image/formats/images.ts"
import { encodeImageResult, type ReturnedImage } from "../../../dialects/image/result.ts"
import { formatCredits } from "../../../ledger/money.ts"
import { fetchMedia, MediaTooLarge } from "../../../media/fetch-media.ts"
import { imageSize } from "../../../media/image-size.ts"
import type { DrawnMask, DrawnStyle } from "../../../media/mask.ts"
import type { MediaInspector } from "../../../media/media-inspector.ts"
import { invalidImage } from "../../../media/request-images.ts"
import type { ImageStore } from "../../../media/image-store.ts"
import type { EndpointResponse, Call, Caller } from "../../request/call.ts"
import { billedResponseOf } from "../../lifetime/call-failure.ts"
import { BILLED, billedFor } from "../../upstream/response-size.ts"
import { atNoExtraPrice } from "../../priced-features/passed-fields.ts"
import { askedModel, preferredModel } from "../../routing-preferences/preferred-model.ts"
import type { ProviderClient } from "../../request/provider-client.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { EVENT_STREAM_HEADERS } from "../charged-body.ts"
import { formatOf, mostCalls } from "../vendor-format.ts"
import { imageBody, type ImageStreaming, streamImage } from "./image-stream.ts"
import { imagesUsage, pricedFor, worstUsage } from "./image-usage.ts"
import type { Operations } from "../operations.ts"

import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import { notCarried } from "../../pipeline/response-headers.ts"

const MEBIBYTE = 1024 * 1024

/** A request for images, with the call that it arrived in. */
export interface ImageInput {
  readonly call: Call
  /** The requested model; undefined if the operator's default model is used. */
  readonly model: string | undefined
  readonly request: ImageRequest
  /** The gateway's address as the caller sees it. Links start with this address. */
  readonly base: string
}

/** The response of one deployment: images, or a stream with one image. */
type Made =
  | {
      readonly type: "whole"
      readonly result: ImageResult
      /** Number of billed images whose responses could not be read. Default: 0. */
      readonly unreadImages?: number
    }
  | ({ readonly type: "stream" } & ImageStreaming)

/** Serves requests for images: finds the model, calls its vendor, and returns the images in the requested form. */
export class Images {
  readonly #operations: Operations
  readonly #images: ImageStore
  readonly #inspector: MediaInspector

  constructor(operations: Operations, images: ImageStore, inspector: MediaInspector) {
    this.#operations = operations
    this.#images = images
    this.#inspector = inspector
  }

  /**
   * Generates the images of a request.
   * @throws GatewayError, in which case nothing is held.
   */
  async make(input: ImageInput, caller: Caller): Promise<EndpointResponse> {
    const { call, request } = input
    const open = await this.#operations.begin(
      {
        ...this.plan(input),
        isWhole: !request.stream,
        attempt: (candidate) => attempt(candidate, request, { call, inspector: this.#inspector }),
        completed: (candidate) => completedImages(candidate, request),
        unread: ({ deployment, unreadUsage: usage }, share, isMade) => {
          const images = isMade ? Math.ceil(request.count * share) : 0
          const made = { images, ...(usage && { usage }) }
          return imagesUsage(made, deployment, this.#sentTo(deployment, request)).usage
        },
      },
      caller,
    )
    const { value, headers } = open
    Object.assign(
      headers,
      request.stream ? EVENT_STREAM_HEADERS : { "content-type": "application/json" },
    )
    if (value.type === "stream") {
      return { headers, body: imageBody(open, value, this.#sentTo(open.deployment, request), call) }
    }
    return { headers, body: await this.#answerWhole(open, value, input) }
  }

  /**
   * Returns the plan of a request, for an estimate or its hold.
   * @throws GatewayError if the request cannot be served.
   */
  plan(input: Pick<ImageInput, "call" | "model" | "request">): OperationPlan {
    const { call, request } = input
    const sentTo = (deployment: Deployment): ImageRequest => this.#sentTo(deployment, request)
    const priced = pricedFor(sentTo, this.#modelOf(input.model, request, call))
    const inputTokens = (): number => totalInput(worstUsage(request, sentTo, priced))
    const { config } = this.#operations
    const preferred = preferredModel(priced, { call, config, inputTokens })
    const model = atNoExtraPrice(preferred, request.options, config)
    return {
      call,
      model,
      worst: worstUsage(request, sentTo, model),
      calls: mostCalls(model, this.#operations.config.clients, (candidate) => {
        const format = formatOf(candidate, "image")
        return lossesOf(format, request, candidate.deployment.upstreamModel).calls.length
      }),
      // If the model has a price per image, a response without an image is an error.
      min: { ...NO_USAGE, images: 1 },
      lossesAt(candidate) {
        const { upstreamModel } = candidate.deployment
        const format = formatOf(candidate, "image")
        return once(lossesOf(format, request, upstreamModel).losses)
      },
    }
  }

  #sentTo(deployment: Deployment, request: ImageRequest): ImageRequest {
    const client = this.#operations.config.clients.get(credentialIdOf(deployment))
    const sent = client?.vendor.operations?.image?.sent
    return sent ? sent(request, deployment.upstreamModel) : request
  }

  async #answerWhole(
    open: OpenOperation<unknown>,
    { result, unreadImages = 0 }: Extract<Made, { type: "whole" }>,
    input: ImageInput,
  ): Promise<string> {
    const { request } = input
    const images = result.images.length + unreadImages
    const sent = this.#sentTo(open.deployment, request)
    const counted = imagesUsage({ ...result, images }, open.deployment, sent)
    let returned: ReturnedImage[]
    try {
      returned = await Promise.all(
        result.images.map((image) => this.#inRequestedForm(image, input)),
      )
    } catch (thrown) {
      if (billedResponseOf(thrown) === undefined) {
        open.release(asGatewayError(thrown))
        throw thrown
      }
      const { charged } = await open.settle(counted)
      throw charged > 0n ? asChargedError(thrown) : thrown
    }
    const { charged } = await open.settle(counted)
    return afterCharge(() => {
      if (request.stream) {
        const done = returned.map(({ value }) => doneImage(value))
        return encodeImageEvents(request.task, result, done, formatCredits(charged))
      }
      return JSON.stringify(encodeImageResult(result, returned, nowInSeconds()))
    })
  }

  #modelOf(id: string | undefined, request: ImageRequest, call: Call): Model {
    const { config } = this.#operations
    return id === undefined
      ? this.#defaultModel(request, call)
      : askedModel(config, id, "image", call)
  }

  /**
   * Returns the operator's default model, or the first model that supports the request. If no model supports it,
   * returns a model whose error explains the failure.
   */
  #defaultModel(request: ImageRequest, call: Call): Model {
    const { key } = call
    const { config } = this.#operations
    const { catalog, clients, imageModel } = config
    const isUsable = (model: Model): boolean => canMake(request, model, clients)
    const isAllowed = imageModel !== undefined && key.allows?.(imageModel) !== false
    const usual = isAllowed ? askedModel(config, imageModel, "image", call) : undefined
    if (usual !== undefined && isUsable(usual)) return usual
    const first = catalog.first("image", key, isUsable) ?? usual ?? catalog.first("image", key)
    if (first) return first
    throw new GatewayError(
      "model_not_found",
      "There is no image model that this key may call. GET /v1/models lists all models.",
      { parameter: "model" },
    )
  }

  async #inRequestedForm(
    image: Image,
    { call, request, base }: ImageInput,
  ): Promise<ReturnedImage> {
    const { source, revisedPrompt } = image
    const { form } = request
    const rewritten = revisedPrompt === undefined ? {} : { revisedPrompt }
    if (source.type === wireType(form)) {
      return { form, value: source.type === "url" ? source.url : source.data, ...rewritten }
    }
    const value =
      source.type === "url"
        ? await this.#fetch(source.url, call)
        : await this.#keep(source.data, base)
    return { form, value, ...rewritten }
  }

  async #fetch(url: string, { memory }: Call): Promise<string> {
    const { media } = this.#operations.config
    try {
      return (await fetchMedia(url, media, memory)).data
    } catch (error) {
      if (error instanceof MediaTooLarge) throw linkedTooLarge(media.bytes)
      if (error instanceof GatewayError && error.kind !== "invalid_value") throw billedFor(error)
      throw unusable("the linked image could not be fetched", error)
    }
  }

  async #keep(data: string, base: string): Promise<string> {
    try {
      return await this.#images.keep(Buffer.from(data, "base64"), imageType(data), base)
    } catch (error) {
      throw new GatewayError(
        "overloaded",
        "The image was generated, but the gateway could not store it for a link. Nothing was charged. Request b64_json, or try again.",
        { cause: error },
      )
    }
  }
}

/** The error for a generated image that is too large to fetch. Its provider bills it. */
function linkedTooLarge(limit: number): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The provider's image is larger than the ${Math.floor(limit / MEBIBYTE)} MB that are fetched for a request. Set response_format to url, or ask the operator to raise 'limits.media_mb'.`,
    BILLED,
  )
}

/** Whether a deployment of a model accepts a request. The format rejects features that the model does not support. */
function canMake(
  request: ImageRequest,
  { deployments }: Model,
  clients: ReadonlyMap<string, ProviderClient>,
): boolean {
  return deployments.some(({ provider, upstreamModel }) => {
    try {
      return clients.get(provider)?.vendor.operations?.image?.encode(request, upstreamModel)
    } catch {
      return false
    }
  })
}

function doneImage(data: string): DoneImage {
  const size = imageSize(Buffer.from(data.slice(0, MAX_HEADER_LENGTH), "base64"))
  const format = imageType(data).replace("image/", "")
  return { data, format, size: size && sizeName(size) }
}

/**
 * Maximum base64 characters that are searched for the size of a JPEG, which may follow a large preview. It must be a
 * multiple of four.
 */
const MAX_HEADER_LENGTH = 262_144

function wireType(form: ImageForm): Image["source"]["type"] {
  return form === "url" ? "url" : "base64"
}

async function attempt(
  candidate: OperationCandidate,
  request: ImageRequest,
  { call, inspector }: { readonly call: Call; readonly inspector: MediaInspector },
): Promise<Outcome<Made>> {
  const { upstreamModel } = candidate.deployment
  const format = formatOf(candidate, "image")
  const drawn = await withDrawnMask(request, format.maskStyle?.(upstreamModel), (mask, style) =>
    inspector.drawMask(mask, style, call.key.account),
  )
  const { calls, losses: lost, isStreamed } = lossesOf(format, drawn, upstreamModel)
  // An image is not generated if its caller would reject the approximated size.
  if (call.isStrict && lost.length > 0) throw notCarried(lost)
  const [first] = calls
  if (!isStreamed || !first) {
    const result = await decoded(format, await candidate.callAll(format, calls), drawn)
    return { value: { type: "whole", result }, losses: once(lost) }
  }
  const streamed = await streamImage(candidate, format, first)
  if (streamed.type === "stream") return { value: streamed, losses: once(lost) }
  const result = await decoded(format, [streamed.response], drawn)
  return { value: { type: "whole", result }, losses: once([...lost, STREAM_EMULATED]) }
}

/** Returns the losses of a request. Encoding it also returns its calls. */
function lossesOf(format: ImageFormat, request: ImageRequest, model: string) {
  const { calls, losses } = format.encode(request, model)
  const isStreamed = format.streams?.(request, model) ?? false
  const lost = request.stream && !isStreamed ? [...losses, STREAM_EMULATED] : losses
  return { calls, losses: lost, isStreamed }
}

/**
 * Returns the images of the calls that a candidate completed although another call failed. The usage includes billed
 * calls whose responses could not be read.
 */
async function completedImages(
  candidate: OperationCandidate,
  request: ImageRequest,
): Promise<Outcome<Made>> {
  const format = formatOf(candidate, "image")
  const { losses: lost } = lossesOf(format, request, candidate.deployment.upstreamModel)
  const result = await decoded(format, candidate.completed, request)
  const fewer: Loss = { name: "n", effect: "approximated" }
  const losses = once([...lost, fewer])
  const unread = candidate.unreadCalls.map(({ results, usage }) => ({
    images: results,
    ...(usage && { usage }),
  }))
  if (unread.length === 0) return { value: { type: "whole", result }, losses }
  const {
    images,
    usage,
    calls: read = [{ images: images.length, ...(usage && { usage }) }],
  } = result
  const sum = candidate.unreadUsage
  const billed = { ...result, ...(sum && { usage: sum }), calls: [...read, ...unread] }
  const unreadImages = unread.reduce((sum, call) => sum + call.images, 0)
  return { value: { type: "whole", result: billed, unreadImages }, losses }
}

async function decoded(
  format: ImageFormat,
  responses: readonly OperationResponse[],
  request: ImageRequest,
): Promise<ImageResult> {
  const result = await format.decode(responses, request)
  const { images } = result
  if (images.length === 0) {
    throw new GatewayError(
      "upstream_error",
      "The provider's response cannot be used: it contains no image.",
      billedText(result.usage),
    )
  }
  // Each image is decoded and stored, even if a provider sends too many.
  return images.length > request.count
    ? { ...result, images: images.slice(0, request.count) }
    : result
}

/**
 * Returns the request with its mask drawn in the style that the vendor of the model requires.
 * @throws GatewayError `invalid_image`.
 */
async function withDrawnMask(
  request: ImageRequest,
  style: MaskStyle | undefined,
  draw: (mask: ImageFile, style: DrawnStyle) => Promise<DrawnMask>,
): Promise<ImageRequest> {
  const { mask } = request
  if (mask === undefined || style === undefined || style === "transparent") return request
  const drawn = await draw(mask, style)
  if (typeof drawn === "string") throw invalidImage("mask", drawn)
  return { ...request, mask: { bytes: drawn, mediaType: "image/png" } }
}

function once(losses: readonly Loss[]): Loss[] {
  const first = new Map<string, Loss>()
  for (const loss of losses) if (!first.has(loss.name)) first.set(loss.name, loss)
  return [...first.values()]
}
