import type { Loss } from "../canon/chat.ts"
import { asGatewayError, GatewayError } from "../canon/errors.ts"
import {
  DEFAULT_SIZE,
  type ImageRequest,
  type ImageResult,
  type Picture,
  type PictureForm,
  type PictureSize,
  sizeName,
} from "../canon/image.ts"
import { pictureType } from "../canon/media-source.ts"
import { unusable } from "../canon/operation-answer.ts"
import { NO_USAGE, type Usage } from "../canon/usage.ts"
import { isPriced, type Deployment, type Model } from "../catalog/model.ts"
import { encodeImageResult, type HandedPicture } from "../dialects/image/result.ts"
import { priceOfPictures } from "../ledger/picture-price.ts"
import type { Key } from "../keys/key.ts"
import { fetchMedia } from "../media/fetch-media.ts"
import type { PictureStore } from "../media/picture-store.ts"
import { pictureInputBound, pictureTokenBound, promptBound } from "../media/picture-tokens.ts"
import { notCarried } from "./attempts.ts"
import type { JsonObject } from "../canon/json.ts"
import type { Call, Caller } from "./call.ts"
import { callAll, type Operations, type Outcome, type Way } from "./operations.ts"

/** A request for pictures, on its way. */
export interface ImageOrder {
  readonly call: Call
  /** Absent: the operator's choice. */
  readonly model: string | undefined
  readonly request: ImageRequest
  /** The address of this gateway as the caller knows it, for links to it. */
  readonly base: string
}

/** An answer with pictures, paid for. */
export interface ImageAnswer {
  readonly json: JsonObject
  readonly headers: Readonly<Record<string, string>>
}

/** Makes pictures: finds the model, has its vendor make them, and hands them over as they were asked for. */
export class Images {
  readonly #operations: Operations
  readonly #pictures: PictureStore

  constructor(operations: Operations, pictures: PictureStore) {
    this.#operations = operations
    this.#pictures = pictures
  }

  /** @throws GatewayError; then nothing is held any more. */
  async make(order: ImageOrder, caller: Caller): Promise<ImageAnswer> {
    const { call, request } = order
    const model = pricedFor(request, this.#modelOf(order.model, call.key))
    const worst = worstUsage(request, model)
    const open = await this.#operations.begin(
      { call, model, worst, attempt: (way) => attempt(way, request, call.isStrict) },
      caller,
    )
    let json: JsonObject
    try {
      const { pictures } = open.value
      const handed = await Promise.all(pictures.map((picture) => this.#hand(picture, order)))
      const created = Math.floor(Date.now() / 1000)
      json = encodeImageResult(open.value, handed, created)
    } catch (thrown) {
      open.release(asGatewayError(thrown))
      throw thrown
    }
    const { usage, isEstimated } = usageOf(open.value, open.deployment, request)
    await open.settle(usage, isEstimated)
    return { json, headers: open.headers }
  }

  #modelOf(id: string | undefined, key: Key): Model {
    const { catalog, imageModel } = this.#operations.surroundings
    const usual =
      imageModel !== undefined && key.allows?.(imageModel) !== false ? imageModel : undefined
    const wanted = id ?? usual
    if (wanted !== undefined) return catalog.require(wanted, "image", key.allows)
    const first = catalog
      .list(key.allows)
      .find((model) => model.kind === "image" && isPriced(model))
    if (first) return first
    throw new GatewayError(
      "model_not_found",
      "There is no image model that this key may call. GET /v1/models lists all models.",
      { parameter: "model" },
    )
  }

  async #hand(picture: Picture, { request, base }: ImageOrder): Promise<HandedPicture> {
    const { source, revisedPrompt } = picture
    const { form } = request
    const rewritten = revisedPrompt === undefined ? {} : { revisedPrompt }
    if (source.type === wireType(form)) {
      return { form, value: source.type === "url" ? source.url : source.data, ...rewritten }
    }
    const value =
      source.type === "url" ? await this.#fetch(source.url) : await this.#keep(source.data, base)
    return { form, value, ...rewritten }
  }

  async #fetch(url: string): Promise<string> {
    try {
      return (await fetchMedia(url, this.#operations.surroundings.media)).data
    } catch (error) {
      throw unusable("the picture it points at could not be fetched", error)
    }
  }

  async #keep(data: string, base: string): Promise<string> {
    try {
      return await this.#pictures.keep(Buffer.from(data, "base64"), pictureType(data), base)
    } catch (error) {
      throw new GatewayError(
        "service_unavailable",
        "The picture was made, but the gateway could not keep it for a link. Nothing was charged. Ask for b64_json, or try again.",
        { cause: error },
      )
    }
  }
}

function wireType(form: PictureForm): Picture["source"]["type"] {
  return form === "url" ? "url" : "base64"
}

async function attempt(
  way: Way,
  request: ImageRequest,
  isStrict: boolean,
): Promise<Outcome<ImageResult>> {
  const { deployment, endpoint } = way
  const format = endpoint.vendor.operations?.image
  if (!format) {
    throw new GatewayError(
      "model_not_supported",
      `The provider '${endpoint.provider}' makes no pictures through this gateway.`,
      { parameter: "model" },
    )
  }
  const { calls, losses } = format.encode(request, deployment.upstreamModel)
  // A picture that the caller would not take is not made in the first place.
  if (isStrict && losses.length > 0) throw notCarried(losses)
  const value = await format.decode(await callAll(way, format, calls), request)
  if (value.pictures.length === 0) throw unusable("it holds no picture")
  return { value, losses: once(losses) }
}

function once(losses: readonly Loss[]): Loss[] {
  return losses.filter(
    ({ name }, index) => losses.findIndex((other) => other.name === name) === index,
  )
}

/** The size that was asked for; undefined when the model is to choose. */
function askedSize(request: ImageRequest): PictureSize | undefined {
  return request.size === "auto" ? undefined : (request.size ?? DEFAULT_SIZE)
}

function qualityOf({ wishes }: ImageRequest): string | undefined {
  const { quality } = wishes
  return typeof quality === "string" ? quality : undefined
}

/** The model with the prices that pictures of the asked kind have. */
function pricedFor(request: ImageRequest, model: Model): Model {
  const size = askedSize(request)
  const quality = qualityOf(request)
  const kind = { ...(size && { size: sizeName(size) }), ...(quality && { quality }) }
  const deployments = model.deployments.map((deployment) =>
    deployment.price
      ? { ...deployment, price: priceOfPictures(deployment.price, kind) }
      : deployment,
  )
  return { ...model, deployments }
}

/** What a request can use at most: pictures, and the tokens of a model that is priced by them. */
function worstUsage(request: ImageRequest, model: Model): Usage {
  const images = { ...NO_USAGE, images: request.count }
  if (!model.deployments.some(isPricedByTokens)) return images
  const pictures = request.images.length + (request.mask === undefined ? 0 : 1)
  const bytes = Buffer.byteLength(request.prompt)
  const bounds = model.deployments.map((deployment) => outputBound(request, deployment))
  return {
    ...images,
    inputFresh: promptBound(bytes) * request.count,
    imageInput: pictureInputBound(pictures) * request.count,
    output: Math.max(...bounds) * request.count,
  }
}

function isPricedByTokens({ price }: Deployment): boolean {
  const { output, inputFresh, imageInput } = price?.rates ?? {}
  return output !== undefined || inputFresh !== undefined || imageInput !== undefined
}

function outputBound(request: ImageRequest, { upstreamModel }: Deployment): number {
  return pictureTokenBound(upstreamModel, askedSize(request), qualityOf(request))
}

/**
 * What the answer used: the vendor's tokens, and the pictures there are. Where a model is priced by
 * tokens alone and its vendor told none, the most they can be.
 */
function usageOf(
  { pictures, usage }: ImageResult,
  deployment: Deployment,
  request: ImageRequest,
): { readonly usage: Usage; readonly isEstimated: boolean } {
  const images = pictures.length
  if (usage) return { usage: { ...usage, images }, isEstimated: false }
  if (deployment.price?.rates.images !== undefined) {
    return { usage: { ...NO_USAGE, images }, isEstimated: false }
  }
  const output = outputBound(request, deployment) * images
  const inputFresh = Math.ceil(Buffer.byteLength(request.prompt) / BYTES_OF_TOKEN)
  return { usage: { ...NO_USAGE, inputFresh, output, images }, isEstimated: true }
}

/** Of common text. */
const BYTES_OF_TOKEN = 4
